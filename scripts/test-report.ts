/**
 * How `npm test` reports: a dot per test (all titles if only some files run), what was written meanwhile, what was skipped and
 * why, the coverage gates, and last of all the counts of Node's runner.
 */
import { globSync } from "node:fs";
import { relative } from "node:path";
import { Readable } from "node:stream";
import { dot, spec } from "node:test/reporters";
import { GATES, judgeCoverage, uncoveredFile } from "./coverage-gate.ts";

type Event = Parameters<typeof dot>[0] extends AsyncIterable<infer Item> ? Item : never;
type Coverage = Extract<Event, { type: "test:coverage" }>["data"]["summary"];

/** The reporter of a run of some tests. */
export default async function* reportSome(source: AsyncIterable<Event>): AsyncGenerator<string> {
  const summary: Event[] = [];
  yield* titles(withoutSummary(source, summary));
  yield* titles(summary);
}

/** The reporter of a run of all tests; where a gate is missed, the process fails. */
export async function* reportAll(source: AsyncIterable<Event>): AsyncGenerator<string> {
  const summary: Event[] = [];
  const said: string[] = [];
  const skipped: string[] = [];
  let coverage: Coverage | undefined;

  yield* dot(results());
  yield `\n${said.join("")}${skipped.join("")}`;
  yield `${gate(coverage)}\n`;
  yield* titles(summary);

  async function* results(): AsyncGenerator<Event> {
    for await (const event of withoutSummary(source, summary)) {
      if (event.type === "test:coverage") coverage = event.data.summary;
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

function titles(events: Iterable<Event> | AsyncIterable<Event>): AsyncIterable<string> {
  return Readable.from(events).pipe(new spec());
}

function gate(coverage: Coverage | undefined): string {
  const loaded = (coverage?.files ?? []).map((file) => ({
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
