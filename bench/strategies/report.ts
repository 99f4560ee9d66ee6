import { PRICE, TASKS } from "./conversation.ts";
import type { Measured } from "./measure.ts";
import type { Strategy } from "./strategy.ts";

/** Measurements and their data. */
export interface Report {
  readonly tasks: string;
  readonly pool: string;
  readonly seed: number;
  readonly strategies: readonly Pick<Strategy, "name" | "policy">[];
  readonly measured: readonly Measured[];
}

/** Limits of these figures: some questions need a model or real usage. */
export const NOT_MEASURED: readonly string[] = [
  "whether a model picks the right tool out of those it sees, and writes the right input for it: needs a model",
  "how a model words a query, which category it opens, when it gives up: needs a model; the scripts use the task's text and know when they are right",
  "whole tasks split into steps and sent to search as one list of queries: needs a model to split them",
  "time and money at a provider: only tokens are counted, at stated relative prices",
  "a gateway that lists often used operations as tools of their own: needs to be known which are used often",
];

const MEASURES = [
  ["tools", ({ tools }) => whole(tools)],
  ["strategy", ({ strategy }) => strategy],
  ["menu tokens", ({ menuTokens }) => whole(menuTokens)],
  ["discovery tokens a task", ({ discoveryTokens }) => whole(discoveryTokens)],
  ["round trips", ({ roundTrips }) => roundTrips.toFixed(2)],
  ["right tool seen at once", ({ seenFirst }) => percent(seenFirst)],
  ["seen in the end", ({ seen }) => percent(seen)],
] as const satisfies Columns;

const CONVERSATION = [
  ["tools", ({ tools }) => whole(tools)],
  ["strategy", ({ strategy }) => strategy],
  ["turns", ({ conversation }) => conversation.turns.toFixed(1)],
  ["tokens read", ({ conversation }) => whole(conversation.read)],
  ["of them new", ({ conversation }) => whole(conversation.fresh)],
  ["written", ({ conversation }) => whole(conversation.written)],
  ["cost", ({ conversation }) => whole(conversation.cost)],
] as const satisfies Columns;

type Columns = readonly (readonly [title: string, cell: (measured: Measured) => string])[];

/** The whole report as Markdown that also reads well in a terminal. */
export function toMarkdown({ tasks, pool, seed, strategies, measured }: Report): string {
  const count = measured[0]?.tasks ?? 0;
  return [
    `${count} labelled tasks of ${tasks}; distractors of the same servers and of ${pool}, seed ${seed}; tokens of the o200k vocabulary, of name, description and input schema as compact JSON. A task counts as seen when one of its labelled tools is shown.`,
    toTable(MEASURES, measured),
    `The same over a conversation of ${TASKS} tasks. Each turn sends menu and history again; a prompt cache has what the turn before began with. Cost is in tokens read afresh: from the cache ${PRICE.cached}, written ${PRICE.written}. What the user says, what the tools answer and what the model says are the same for all and left out; a task whose tool is not seen ends without a call.`,
    toTable(CONVERSATION, measured),
    "What the scripts do:",
    strategies.map(({ name, policy }) => `- ${name}: ${policy}`).join("\n"),
    "Not measured:",
    NOT_MEASURED.map((line) => `- ${line}`).join("\n"),
  ].join("\n\n");
}

function toTable(columns: Columns, measured: readonly Measured[]): string {
  const rows = [
    columns.map(([title]) => title),
    ...measured.map((row) => columns.map(([, cell]) => cell(row))),
  ];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (column === 1 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const [head = [], ...body] = rows;
  const rule = widths.map((width, column) =>
    column === 1 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...body.map(line)].join("\n");
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function percent(value: number): string {
  return `${value.toFixed(1)} %`;
}
