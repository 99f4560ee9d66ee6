import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Config } from "../../config/index.ts";
import { Registry, SILENT_LOG } from "../../core/index.ts";
import { createSchemaValidator } from "../../formats/index.ts";
import { readFacets } from "./facets.ts";
import { McpEndpoints } from "./mcp-endpoints.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const mcp = { reach: "all", slowAfterMs: 5_000, keepAliveMs: 15_000, sessions: "on" };
const CONFIG = { sources: {}, limits: {}, facets: { reads: ["*"] }, mcp } as unknown as Config;

test("endpoints of earlier configs are garbage collected, however many there were", async () => {
  const log = { ...SILENT_LOG, info: () => {}, debug: () => {} };
  const endpoints = new McpEndpoints(new Registry(), log);
  const options = {
    facets: readFacets({ config: CONFIG, written: {} }, undefined),
    mcp: CONFIG.mcp,
    validator: createSchemaValidator(),
    stateKey: new Uint8Array(32),
    connections: 100,
  };
  const follow = async () => {
    const started = await endpoints.follow(options);
    return ["", "reads"].map((name) => new WeakRef(started.get(name) as object));
  };
  const earlier = [...(await follow()), ...(await follow())];
  const now = await follow();
  const lasts = (each: WeakRef<object>) => each.deref() !== undefined;
  for (let pass = 0; pass < 100 && earlier.some(lasts); pass++) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  assert.deepEqual(earlier.map(lasts), [false, false, false, false]);
  assert.deepEqual(now.map(lasts), [true, true]);
});
