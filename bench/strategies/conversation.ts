import type { Outcome } from "./strategy.ts";

/** Tasks of a conversation in the report. */
export const TASKS = 10;

/** Cost of reading from a prompt cache and of writing, relative to tokens that are read afresh. */
export const PRICE = { cached: 0.1, written: 5 } as const;

/** Cost of the tools over one conversation, in tokens. */
export interface ConversationCost {
  readonly turns: number;
  /** All that is sent to the model: each turn sends menu and history again. */
  readonly read: number;
  /** The part of it that no prompt cache can have, because it did not begin the turn before. */
  readonly fresh: number;
  readonly written: number;
  /** All of it at the prices above. */
  readonly cost: number;
}

/**
 * Adds up tasks that are done one after the other in one conversation. A turn of the model for each exchange, one for the
 * call if there is one, and one to answer. What it wrote and read stays in the history. What the user says, what the tool
 * answers and what the model makes of it are the same for all strategies and left out.
 */
export function costOfConversation(tasks: readonly Outcome[]): ConversationCost {
  let [turns, read, fresh, written, history] = [0, 0, 0, 0, 0];
  for (const [number, { menu, menuIsOfTask, exchanges, seen, callFrame }] of tasks.entries()) {
    const steps = [...exchanges, ...(seen ? [{ wrote: callFrame, read: 0 }] : []), { wrote: 0, read: 0 }];
    // The menu comes before the history: another menu makes all that follows it new.
    if (number === 0) fresh += menu;
    else if (menuIsOfTask) fresh += menu + history;
    for (const step of steps) {
      turns++;
      read += menu + history;
      written += step.wrote;
      history += step.wrote + step.read;
      fresh += step.wrote + step.read;
    }
  }
  return {
    turns,
    read,
    fresh,
    written,
    cost: fresh + PRICE.cached * (read - fresh) + PRICE.written * written,
  };
}

/** The mean over all whole conversations that the tasks make in their order. */
export function meanConversation(outcomes: readonly Outcome[]): ConversationCost {
  const count = Math.floor(outcomes.length / TASKS);
  if (count === 0) throw new Error(`A conversation needs ${TASKS} tasks; there are ${outcomes.length}.`);
  const all = Array.from({ length: count }, (_, number) =>
    costOfConversation(outcomes.slice(number * TASKS, (number + 1) * TASKS)),
  );
  const mean = (key: keyof ConversationCost) => all.reduce((sum, each) => sum + each[key], 0) / count;
  return {
    turns: mean("turns"),
    read: mean("read"),
    fresh: mean("fresh"),
    written: mean("written"),
    cost: mean("cost"),
  };
}
