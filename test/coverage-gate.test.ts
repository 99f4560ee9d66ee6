import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { judgeCoverage, uncoveredFile } from "../scripts/coverage-gate.ts";

const GATES = [
  { folder: "src/core", percent: 95 },
  { folder: "src", percent: 80 },
];

test("coverage above every gate passes and is told", () => {
  const files = [
    { path: "src/core/a.ts", lines: 100, covered: 95 },
    { path: "src/search/b.ts", lines: 100, covered: 70 },
  ];
  assert.deepEqual(judgeCoverage(files, GATES), {
    passed: true,
    text: "Lines run by the tests: 95.0 % of src/core (at least 95 %), 82.5 % of src (at least 80 %).",
  });
});

test("coverage below a gate fails and names the lowest files first", () => {
  const files = [
    { path: "src/core/good.ts", lines: 1000, covered: 1000 },
    { path: "src/core/poor.ts", lines: 100, covered: 47 },
    { path: "src/core/none.ts", lines: 5, covered: 0 },
  ];
  assert.deepEqual(judgeCoverage(files, GATES), {
    passed: false,
    text:
      "The tests run 94.7 % of the lines of src/core, but 95 % are wanted. " +
      "Lowest: src/core/none.ts (0.0 %), src/core/poor.ts (47.0 %), src/core/good.ts (100.0 %).",
  });
});

test("a run that measured nothing does not pass", () => {
  assert.equal(judgeCoverage([], GATES).passed, false);
});

test("a file that no test loads counts in full, unless it holds only types", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "pinhole-coverage-"));
  t.after(() => rm(folder, { recursive: true }));
  const code = join(folder, "code.ts");
  const types = join(folder, "types.ts");
  await writeFile(code, "/** One. */\nexport const one: number = 1;\n");
  await writeFile(types, 'import type { A } from "./a.ts";\n\n/** Two. */\nexport type B = A | 2; // why\n');
  assert.deepEqual(uncoveredFile(code), { path: code, lines: 2, covered: 0 });
  assert.deepEqual(uncoveredFile(types), { path: types, lines: 0, covered: 0 });
});
