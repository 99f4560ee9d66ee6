import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SLOW_TESTS } from "../scripts/slow-tests.ts";
import { ROOT } from "./support/source-files.ts";

test("every file that the quick run leaves out exists", () => {
  assert.deepEqual(
    SLOW_TESTS.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});
