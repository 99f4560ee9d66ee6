/**
 * How `npm test` reports: a dot per test (all titles if only some files run), what was written meanwhile, what was skipped and
 * why, the coverage gates, and last of all the counts of Node's runner.
 */
import { globSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Readable } from "node:stream";
import { dot, lcov, spec } from "node:test/reporters";
import { GATES, judgeCoverage, uncoveredFile } from "./coverage-gate.ts";

/** What Node's runner tells of a test or of the whole run. */
export type Event = Parameters<typeof dot>[0] extends AsyncIterable<infer Item> ? Item : never;
type Coverage = Extract<Event, { type: "test:coverage" }>;

/** The reporter of a run of some tests. */
export default async function* reportSome(source: AsyncIterable<Event>): AsyncGenerator<string> {
  const summary: Event[] = [];
  yield* titles(withoutSummary(source, summary));
  yield* titles(summary);
}

/**
 * The reporter of several runs as one. Where a test fails, the process fails; with a folder for the coverage also where a gate
 * is missed.
 */
export async function* reportAll(
  source: AsyncIterable<Event>,
  coverageFolder?: string,
): AsyncGenerator<string> {
  const summary: Event[] = [];
  const said: string[] = [];
  const skipped: string[] = [];
  let coverage: Coverage | undefined;

  yield* dot(results());
  yield `\n${said.join("")}${skipped.join("")}`;
  if (coverageFolder !== undefined) yield `${gate(coverage)}\n`;
  yield* titles(addUp(summary));
  if (coverage && coverageFolder !== undefined)
    await writeFile(join(coverageFolder, "lcov.info"), Readable.from([coverage]).pipe(new lcov()));

  async function* results(): AsyncGenerator<Event> {
    for await (const event of withoutSummary(source, summary)) {
      if (event.type === "test:fail") process.exitCode = 1;
      if (event.type === "test:coverage") coverage = event;
      else if (event.type === "test:stdout" || event.type === "test:stderr") said.push(event.data.message);
      else yield event;
      if (event.type === "test:pass" && event.data.skip !== undefined) {
        const reason = typeof event.data.skip === "string" ? event.data.skip : "no reason given";
        skipped.push(`Skipped: ${event.data.name} (${reason})\n`);
      }
    }
  }
}

/** What the runner itself has to say belongs to no file: its warnings, then its counts. */
async function* withoutSummary(source: AsyncIterable<Event>, summary: Event[]): AsyncGenerator<Event> {
  for await (const event of source) {
    if (event.type === "test:diagnostic" && event.data.file === undefined) summary.push(event);
    else yield event;
  }
}

/** The counts of several runs as one run would tell them. */
function addUp(events: readonly Event[]): readonly Event[] {
  const counts = new Map<string, number>();
  const others: Event[] = [];
  for (const event of events) {
    const [, name, count] =
      (event.type === "test:diagnostic" && /^(\w+) ([\d.]+)$/.exec(event.data.message)) || [];
    if (name === undefined) others.push(event);
    else counts.set(name, (counts.get(name) ?? 0) + Number(count));
  }
  const sums = [...counts].map(
    ([name, count]): Event => ({
      type: "test:diagnostic",
      data: { nesting: 0, level: "info", message: `${name} ${count}` },
    }),
  );
  return [...others, ...sums];
}

function titles(events: Iterable<Event> | AsyncIterable<Event>): AsyncIterable<string> {
  return Readable.from(events).pipe(new spec());
}

function gate(coverage: Coverage | undefined): string {
  const loaded = (coverage?.data.summary.files ?? []).map((file) => ({
    path: relative(process.cwd(), file.path).replaceAll("\\", "/"),
    lines: file.totalLineCount,
    covered: file.coveredLineCount,
  }));
  const seen = new Set(loaded.map((file) => file.path));
  const never = globSync("src/**/*.ts", { exclude: ["**/*.test.ts", "**/*.d.ts"] })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !seen.has(path))
    .map(uncoveredFile);
  const verdict = judgeCoverage([...loaded, ...never], GATES);
  if (!verdict.passed) process.exitCode = 1;
  return verdict.text;
}
