import assert from "node:assert/strict";
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { writeConfig } from "../adapters/index.ts";
import { readEditable } from "./write-file.ts";

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pinhole-write-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test("a text that cannot be loaded is refused with the name of the file, which is left unchanged", async (t) => {
  const folder = await folderOf(t);
  await writeFile(join(folder, "pinhole.yaml"), "log: {}\n");
  const editable = await readEditable(undefined, folder);
  await assert.rejects(writeConfig(editable, "log: { level: loud }\n"), {
    name: "ConfigError",
    message: /^pinhole\.yaml:1 {2}log\.level: /,
  });
  assert.equal(await readFile(editable.file, "utf8"), "log: {}\n");
  assert.deepEqual(await readdir(folder), ["pinhole.yaml"]);
});

test("writing a configuration keeps the mode of the file, and a link stays a link", {
  skip: process.platform === "win32",
}, async (t) => {
  const folder = await folderOf(t);
  await writeFile(join(folder, "real.yaml"), "");
  await chmod(join(folder, "real.yaml"), 0o600);
  await symlink("real.yaml", join(folder, "pinhole.yaml"));
  await writeConfig(await readEditable(undefined, folder), "log: { level: warn }\n");
  assert.equal((await stat(join(folder, "real.yaml"))).mode & 0o777, 0o600);
  assert.ok((await lstat(join(folder, "pinhole.yaml"))).isSymbolicLink());
  assert.equal(await readFile(join(folder, "real.yaml"), "utf8"), "log: { level: warn }\n");
});

test("a configuration that does not exist yet is created", async (t) => {
  const folder = await folderOf(t);
  const editable = await readEditable(undefined, folder);
  assert.deepEqual([editable.exists, editable.text], [false, ""]);
  await writeConfig(editable, "log: {}\n");
  assert.equal((await readEditable(undefined, folder)).text, "log: {}\n");
});
