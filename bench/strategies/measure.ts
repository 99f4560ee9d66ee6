import type { Catalogue } from "./catalogues.ts";
import { type ConversationCost, meanConversation } from "./conversation.ts";
import type { Outcome, Strategy } from "./strategy.ts";

/** Cost of one strategy for the tasks of one catalogue; all means are over the tasks. */
export interface Measured {
  readonly strategy: string;
  readonly tools: number;
  readonly tasks: number;
  readonly menuTokens: number;
  /** Tokens that the model wrote and read to find its tool, without the menu. */
  readonly discoveryTokens: number;
  readonly roundTrips: number;
  /** In percent of the tasks. */
  readonly seenFirst: number;
  readonly seen: number;
  readonly conversation: ConversationCost;
}

/** Lets a strategy work on every task of a catalogue. */
export async function measureStrategy(strategy: Strategy, catalogue: Catalogue): Promise<Measured> {
  const shown = await strategy.show(catalogue);
  try {
    const outcomes: Outcome[] = [];
    for (const task of catalogue.tasks) outcomes.push(await shown.work(task));
    return summarise(strategy.name, catalogue.tools.length, outcomes);
  } finally {
    await shown.close();
  }
}

/** The means of some outcomes. */
export function summarise(strategy: string, tools: number, outcomes: readonly Outcome[]): Measured {
  const mean = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / outcomes.length;
  return {
    strategy,
    tools,
    tasks: outcomes.length,
    menuTokens: mean(({ menu }) => menu),
    discoveryTokens: mean(({ exchanges }) =>
      exchanges.reduce((sum, { wrote, read }) => sum + wrote + read, 0),
    ),
    roundTrips: mean(({ roundTrips }) => roundTrips),
    seenFirst: mean(({ seenFirst }) => (seenFirst ? 100 : 0)),
    seen: mean(({ seen }) => (seen ? 100 : 0)),
    conversation: meanConversation(outcomes),
  };
}
