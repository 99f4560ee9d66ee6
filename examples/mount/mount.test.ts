import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { childEnv } from "../../test/support/child-env.ts";
import { patternOf } from "../../test/support/example.ts";

test("a program that mounts and imports runtimes prints what its README says", async () => {
  const program = join(import.meta.dirname, "program.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env: childEnv() });
  const readme = await readFile(join(import.meta.dirname, "README.md"), "utf8");
  const shown = /^\$ node examples\/mount\/program\.ts\n([\s\S]*?)\n```$/m.exec(readme)?.[1] ?? "";
  assert.match(stdout.trim(), patternOf(shown));
});
