/**
 * `npm test`: every test in one process, with the coverage gates.
 * `npm test -- src/core` or `npm test -- --test-name-pattern=batch`: only these, without the gates.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const PLACES = ["src", "test", "bench", "examples"];
const LCOV = "coverage/lcov.info";

const root = dirname(import.meta.dirname);
process.chdir(root);

const given = process.argv.slice(2);
const options = given.filter((argument) => argument.startsWith("-"));
const places = given.filter((argument) => !argument.startsWith("-"));
process.exitCode = run(places.length > 0 ? places.flatMap(requireTests) : PLACES.flatMap(testsIn));

function run(files: readonly string[]): number {
  if (files.length === 0) return complain("There is no test file to run.");
  const { status, signal, error } = spawnSync(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      `--import=${pathToFileURL(join(root, "test/support/watch/register.ts")).href}`,
      "--test",
      "--test-isolation=none",
      "--test-timeout=240000",
      `--test-reporter=${join(root, "scripts/test-report.ts")}`,
      "--test-reporter-destination=stdout",
      ...(given.length === 0 ? withCoverage() : []),
      ...options,
      ...files,
    ],
    { stdio: "inherit" },
  );
  if (status === null)
    return complain(`The test process did not end by itself: ${error?.message ?? signal}.`);
  return status;
}

function withCoverage(): readonly string[] {
  mkdirSync(dirname(LCOV), { recursive: true });
  rmSync(LCOV, { force: true });
  return [
    "--experimental-test-coverage",
    "--test-coverage-include=src/**",
    "--test-coverage-exclude=**/*.test.ts",
    "--test-reporter=lcov",
    `--test-reporter-destination=${LCOV}`,
  ];
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
