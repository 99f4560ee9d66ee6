import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { awakeTime } from "../../test/support/awake-time.ts";
import { startConfig } from "../../test/support/config-gateway.ts";
import { serveSilence } from "../../test/support/silence.ts";
import { loadCatalogue } from "./catalogue.ts";

test("a catalogue has the same operations as a gateway of the same config", async (t) => {
  const { directory, gateway } = await startConfig(t);
  const catalogue = await loadCatalogue({ directory });
  t.after(() => catalogue.close());
  const names = ({ registry }: Pick<typeof catalogue, "registry">) =>
    registry
      .snapshot()
      .entries()
      .map(({ registration }) => registration.spec.name)
      .sort();
  assert.deepEqual(names(catalogue), names(gateway));
  const answer = await catalogue.ask("call", { operation: "sources/list", select: "sources[].name" });
  assert.deepEqual(answer, { ...answer, output: ["notes"] });
});

test("aborting while sources are loaded ends the wait at once", async (t) => {
  const { directory } = await startConfig(t);
  const silence = await serveSilence(t);
  const source = `{ mcp: "${silence.url}", allowPrivate: true, external: "*" }`;
  await writeFile(join(directory, "pinhole.yaml"), `sources: { silent: ${source} }\n`);
  const stop = new AbortController();
  const loading = loadCatalogue({ directory }, { patienceMs: 60_000, signal: stop.signal });
  await silence.visited;
  const stopped = awakeTime();
  stop.abort();
  await assert.rejects(loading, { name: "AbortError" });
  assert.ok(awakeTime() - stopped < 1_000);
});
