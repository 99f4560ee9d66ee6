import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLog } from "../observe/index.ts";
import { startGateway } from "./gateway.ts";

const CORE = new URL("../core.ts", import.meta.url).href;
const PLUGIN = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  const operation = (name, description) => defineOperation({ name, description, type: "query", handler: () => null });
  const rows = Array.from({ length: 30 }, (_, at) => operation("fruit/pick_" + at, "Picks apples of row " + at + "."));
  export default definePlugin({ name: "x", operations: [...rows, operation("mail/send", "Sends an email.")] });`;
const BY_MEANING = "compose+a+letter+to+my+boss";
const CONFIG = "sources:\n  fruit: { plugin: ./plugin.ts }\n";

test("changed settings of search hold after a reload", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "pinhole-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "pinhole.yaml");
  await writeFile(join(folder, "plugin.ts"), PLUGIN);
  await writeFile(file, CONFIG);
  const log = createLog("error");
  const gateway = await startGateway({ directory: folder, log, watch: false, flags: { port: "0" } });
  t.after(() => gateway.close());
  const hits = async (query: string): Promise<number> => {
    const response = await fetch(`${gateway.url}/search?query=${query}`);
    const { operations } = (await response.json()) as { operations: unknown[] };
    return operations.length;
  };
  assert.equal(await hits("apples"), 10);
  assert.ok((await hits(BY_MEANING)) > 0, "found by meaning");

  await writeFile(file, `${CONFIG}search: { dense: off, budgetTokens: 120 }\n`);
  await gateway.reload();
  assert.ok((await hits("apples")) < 10);
  assert.equal(await hits(BY_MEANING), 0, "words alone");

  await writeFile(file, CONFIG);
  await gateway.reload();
  assert.equal(await hits("apples"), 10);
  assert.ok((await hits(BY_MEANING)) > 0);
});
