import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { SILENT_LOG } from "../../../core/index.ts";
import { keepIndex } from "./keep-index.ts";

const PATIENCE_MS = 10_000;

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "pinhole-keep-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits until something is so, turn by turn. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

test("several changes are written once, when a while has passed, and the next change again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const folder = folderFor(t);
  const kept = keepIndex(join(folder, "index"), SILENT_LOG);
  let saves = 0;
  const save = async () => Buffer.from(`index ${++saves}`);
  assert.equal(await kept.read(), undefined);

  for (let change = 0; change < 5; change++) kept.changed(save);
  t.mock.timers.tick(PATIENCE_MS - 1);
  assert.equal(saves, 0);
  t.mock.timers.tick(1);
  await until(() => readdirSync(folder).includes("index"));
  assert.equal(saves, 1);
  assert.equal(Buffer.from((await kept.read()) ?? []).toString(), "index 1");
  assert.deepEqual(readdirSync(folder), ["index"], "nothing unfinished is left");

  kept.changed(save);
  t.mock.timers.tick(PATIENCE_MS);
  await until(() => readFileSync(join(folder, "index"), "utf8") === "index 2");
});

test("an index that cannot be kept does not fail anything, and is tried again after the next change", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const folder = folderFor(t);
  const kept = keepIndex(join(folder, "missing", "index"), SILENT_LOG);
  let saves = 0;
  const save = async () => Buffer.from(`index ${++saves}`);
  for (const expected of [1, 2]) {
    kept.changed(save);
    t.mock.timers.tick(PATIENCE_MS);
    await until(() => saves === expected);
  }
  assert.equal(await kept.read(), undefined);
});

test("what is closed is written no more", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const kept = keepIndex(join(folderFor(t), "index"), SILENT_LOG);
  let saves = 0;
  const save = async () => Buffer.from(`index ${++saves}`);
  kept.changed(save);
  kept.close();
  kept.changed(save);
  t.mock.timers.tick(2 * PATIENCE_MS);
  assert.equal(saves, 0);
});

test("only its owner reads the file, and what ended processes left unfinished goes at the start", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const folder = folderFor(t);
  const own = `index.${process.pid}.tmp`;
  for (const name of ["index.999999999.tmp", own, "index.tmp", "other.999999999.tmp"])
    writeFileSync(join(folder, name), "");
  const kept = keepIndex(join(folder, "index"), SILENT_LOG);
  await kept.read();
  assert.deepEqual(readdirSync(folder).sort(), [own, "index.tmp", "other.999999999.tmp"].sort());
  rmSync(join(folder, own));
  kept.changed(async () => Buffer.from("index"));
  t.mock.timers.tick(PATIENCE_MS);
  await until(() => readdirSync(folder).includes("index"));
  assert.equal(statSync(join(folder, "index")).mode & 0o777, 0o600);
});

test("a write that fails leaves nothing behind and is told in the log", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const folder = folderFor(t);
  // A folder of that name cannot be replaced by a file.
  mkdirSync(join(folder, "index"));
  writeFileSync(join(folder, "index", "x"), "");
  const told: string[] = [];
  const kept = keepIndex(join(folder, "index"), {
    ...SILENT_LOG,
    warn: (message) => void told.push(message),
  });
  kept.changed(async () => Buffer.from("index"));
  t.mock.timers.tick(PATIENCE_MS);
  await until(() => told.length > 0);
  assert.match(told.join(), /cannot be kept/);
  assert.deepEqual(readdirSync(folder), ["index"]);
});
