import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

/** How many lines of a file ran. */
export interface FileCoverage {
  readonly path: string;
  readonly lines: number;
  readonly covered: number;
}

/** The share of a folder's lines that tests must run. */
export interface Gate {
  readonly folder: string;
  readonly percent: number;
}

/** What the repository asks of its tests. */
export const GATES: readonly Gate[] = [
  { folder: "src/core", percent: 95 },
  { folder: "src", percent: 80 },
];

const NAMED = 5;

/** Compares the coverage with the gates, and says which files hold it down. */
export function judgeCoverage(
  files: readonly FileCoverage[],
  gates: readonly Gate[],
): { readonly passed: boolean; readonly text: string } {
  const results = gates.map((gate) => {
    const inside = files.filter((file) => file.path.startsWith(`${gate.folder}/`) && file.lines > 0);
    return { gate, inside, share: shareOf(inside) };
  });
  const failed = results.filter(({ gate, share }) => share < gate.percent);
  if (failed.length === 0) {
    const shares = results.map(
      ({ gate, share }) => `${show(share)} of ${gate.folder} (at least ${gate.percent} %)`,
    );
    return { passed: true, text: `Lines run by the tests: ${shares.join(", ")}.` };
  }
  const sentences = failed.map(({ gate, inside, share }) => {
    const lowest = inside
      .toSorted((a, b) => shareOf([a]) - shareOf([b]) || b.lines - a.lines)
      .slice(0, NAMED)
      .map((file) => `${file.path} (${show(shareOf([file]))})`);
    return `The tests run ${show(share)} of the lines of ${gate.folder}, but ${gate.percent} % are wanted. Lowest: ${lowest.join(", ") || "there is no file"}.`;
  });
  return { passed: false, text: sentences.join("\n") };
}

/** The coverage of a file that no test loaded: none, unless it holds nothing but types. */
export function uncoveredFile(path: string): FileCoverage {
  const source = readFileSync(path, "utf8");
  const code = stripTypeScriptTypes(source).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  return { path, lines: code.trim() === "" ? 0 : source.trimEnd().split("\n").length, covered: 0 };
}

function shareOf(files: readonly FileCoverage[]): number {
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  const covered = files.reduce((sum, file) => sum + file.covered, 0);
  return lines === 0 ? 0 : (100 * covered) / lines;
}

/** Cut, not rounded: 94.96 is not yet 95.0. */
function show(share: number): string {
  return `${(Math.floor(share * 10) / 10).toFixed(1)} %`;
}
