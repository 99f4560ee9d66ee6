import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIG_FLAGS, readFlags, withFlags } from "./flags.ts";

test("the flags come from the schema, with all that help shows", () => {
  assert.deepEqual(CONFIG_FLAGS, [
    {
      name: "port",
      keys: ["server", "port"],
      type: "number",
      description: "Port to listen on; 0 takes a free one.",
      default: 7464,
    },
    {
      name: "host",
      keys: ["server", "host"],
      type: "string",
      description: "Address to listen on; one that others can reach needs identities.",
      default: "127.0.0.1",
    },
    {
      name: "facet",
      keys: ["mcp", "only"],
      type: "string",
      description: "Serve this facet alone: search and call are confined to it.",
      default: undefined,
    },
  ]);
});

test("flags override values and change nothing else", () => {
  const config = { server: { port: 1, maxNesting: 5 }, deny: [] };
  const changed = withFlags(config, readFlags({ port: "8080", host: undefined }));
  assert.deepEqual(changed, { server: { port: 8080, maxNesting: 5 }, deny: [] });
  assert.equal(config.server.port, 1);
  assert.deepEqual(withFlags({}, readFlags({ port: 0 })), { server: { port: 0 } });
});

test("a flag that is not a number stays text, for the schema to refuse", () => {
  for (const port of ["", "8o80", "0x50", "1e3", " 80"]) {
    assert.equal(readFlags({ port })[0]?.value, port);
  }
});

test("a flag that does not exist is refused with the nearest one", () => {
  assert.throws(() => readFlags({ prot: "1" }), {
    name: "ConfigError",
    message: "--prot: unknown flag; did you mean --port?",
  });
  assert.throws(() => readFlags({ colour: "1" }), {
    message: "--colour: unknown flag; known are --port, --host, --facet",
  });
});
