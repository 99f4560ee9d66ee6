/**
 * How `npm test` reports: a dot per test (all titles if only some files run), what was skipped and why, the
 * coverage gates, and last of all the counts of Node's runner.
 */
import { globSync } from "node:fs";
import { relative } from "node:path";
import { Readable } from "node:stream";
import { dot, spec } from "node:test/reporters";
import { GATES, judgeCoverage, uncoveredFile } from "./coverage-gate.ts";

type Event = Parameters<typeof dot>[0] extends AsyncIterable<infer Item> ? Item : never;
type Coverage = Extract<Event, { type: "test:coverage" }>["data"]["summary"];

const gated = process.execArgv.includes("--experimental-test-coverage");
let finished = false;

// A test that calls process.exit(0) would otherwise end the run without a word and count as success.
process.on("exit", () => {
  if (finished) return;
  console.error("The run ended before its report: a test, or code that it ran, left the process.");
  process.exitCode = 1;
});

/** A reporter for `node --test`. */
export default async function* report(source: AsyncIterable<Event>): AsyncGenerator<string> {
  const summary: Event[] = [];
  const skipped: string[] = [];
  let coverage: Coverage | undefined;

  yield* gated ? dot(results()) : titles(results());
  yield gated ? "\n" : "";
  yield skipped.map((line) => `${line}\n`).join("");
  if (gated) yield `${gate(coverage)}\n`;
  yield* titles(summary);
  finished = true;

  async function* results(): AsyncGenerator<Event> {
    for await (const event of source) {
      if (event.type === "test:coverage") coverage = event.data.summary;
      // What the runner itself has to say belongs to no file: its warnings, then its counts.
      else if (event.type === "test:diagnostic" && event.data.file === undefined) summary.push(event);
      else yield event;
      if (gated && event.type === "test:pass" && event.data.skip !== undefined) {
        const reason = typeof event.data.skip === "string" ? event.data.skip : "no reason given";
        skipped.push(`Skipped: ${event.data.name} (${reason})`);
      }
    }
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
