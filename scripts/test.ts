/**
 * `npm test`: every test, in two processes side by side; those beside the source with the coverage gates.
 * `npm run test:quick`: the tests beside the source and of the examples, without the slow ones and without the gates.
 * `npm test -- src/core` or `npm test -- --test-name-pattern=batch`: only these, in one process and without the gates.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { run } from "node:test";
import { pathToFileURL } from "node:url";
import { COMPILE_CACHE } from "../test/support/child-env.ts";
import { QUICK_PLACES, SLOW_TESTS } from "./slow-tests.ts";
import { type Event, reportAll } from "./test-report.ts";

/** Coverage makes tests half as slow again; those of whole gateways run lines that the tests beside the source run too. */
const MEASURED = ["src"];
const UNMEASURED = ["test", "bench", "examples"];
const PLACES = [...MEASURED, ...UNMEASURED];
/** Many small shares: what tests leave in the memory of a process slows down those after them. */
const SHARES = 4;
const PROCESSES = 2;
const COVERAGE = "coverage";

const root = dirname(import.meta.dirname);
process.chdir(root);

/** What every process that runs tests is started with. */
const ARGUMENTS = [
  "--disable-warning=ExperimentalWarning",
  `--import=${pathToFileURL(join(root, "test/support/watch/register.ts")).href}`,
  "--test-timeout=240000",
];

const SIDE_BY_SIDE = { concurrency: PROCESSES, execArgv: ARGUMENTS };

// Node's warnings about experimental features would stand in the middle of the report.
process.removeAllListeners("warning");

const given = process.argv.slice(2);
const options = given.filter((argument) => argument.startsWith("-"));
const places = given.filter((argument) => !argument.startsWith("-"));
if (given.length === 0) show(reportAll(allTests(), COVERAGE));
else if (given.join() === "--quick") show(reportAll(runUnmeasured("quick", quickTests())));
else if (given[0] === "--quick") process.exitCode = runSome(quickTests(), given.slice(1));
else
  process.exitCode = runSome(
    places.length > 0 ? places.flatMap(requireTests) : PLACES.flatMap(testsIn),
    options,
  );

/** To Node's runner each share is one file, so that it adds up the counts and the coverage of all. */
async function* allTests(): AsyncGenerator<Event> {
  yield* run({
    ...SIDE_BY_SIDE,
    files: writeShares("measured", MEASURED.flatMap(testsIn)),
    coverage: true,
    coverageIncludeGlobs: ["src/**"],
    coverageExcludeGlobs: ["**/*.test.ts"],
  });
  yield* runUnmeasured("unmeasured", UNMEASURED.flatMap(testsIn));
}

function runUnmeasured(name: string, files: readonly string[]): AsyncIterable<Event> {
  return run({ ...SIDE_BY_SIDE, files: writeShares(name, files), env: cached() });
}

/** Neighbours, which often take equally long, come into different shares. */
function writeShares(name: string, files: readonly string[]): readonly string[] {
  mkdirSync(COVERAGE, { recursive: true });
  return Array.from({ length: SHARES }, (_, share) => {
    const urls = files
      .filter((_, index) => index % SHARES === share)
      .map((file) => pathToFileURL(resolve(file)).href);
    const path = join(root, COVERAGE, `${name}-${share + 1}.mjs`);
    writeFileSync(path, urls.map((url) => `import ${JSON.stringify(url)};\n`).join(""));
    return path;
  });
}

function show(report: AsyncIterable<string>): void {
  Readable.from(report).pipe(process.stdout);
}

/** Where nothing is measured, files need not be compiled anew each time. */
function cached(): NodeJS.ProcessEnv {
  return { ...COMPILE_CACHE, ...process.env };
}

/** A slow test that is gone, or has another name, would make the rest slow without a word. */
function quickTests(): readonly string[] {
  const gone = SLOW_TESTS.filter((file) => statSync(file, { throwIfNoEntry: false }) === undefined);
  if (gone.length > 0)
    process.exit(complain(`scripts/slow-tests.ts names files that are gone: ${gone.join(", ")}.`));
  return QUICK_PLACES.flatMap(testsIn).filter((file) => !SLOW_TESTS.includes(file));
}

function runSome(files: readonly string[], options: readonly string[]): number {
  if (files.length === 0) return complain("There is no test file to run.");
  const { status, signal, error } = spawnSync(
    process.execPath,
    [
      ...ARGUMENTS,
      "--test",
      "--test-isolation=none",
      `--test-reporter=${join(root, "scripts/test-report.ts")}`,
      "--test-reporter-destination=stdout",
      ...options,
      ...files,
    ],
    { stdio: "inherit", env: cached() },
  );
  if (status === null)
    return complain(`The test process did not end by itself: ${error?.message ?? signal}.`);
  return status;
}

function requireTests(place: string): readonly string[] {
  const files = testsIn(place);
  if (files.length === 0) process.exit(complain(`There is no test file at ${place}.`));
  return files;
}

function testsIn(place: string): readonly string[] {
  const folder = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  const pattern = folder ? join(place, "**/*.test.ts") : place;
  return globSync(pattern, { exclude: ["**/node_modules/**"] }).sort();
}

function complain(sentence: string): number {
  console.error(sentence);
  return 1;
}
