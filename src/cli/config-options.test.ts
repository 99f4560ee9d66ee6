import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIG_OPTIONS, configOptionsOf } from "./config-options.ts";
import { createTerminal } from "./terminal.ts";

test("the options are the file and every key of the configuration that has a flag", () => {
  assert.deepEqual(Object.keys(CONFIG_OPTIONS), ["config", "port", "host"]);
  assert.deepEqual(CONFIG_OPTIONS.port, {
    value: "PORT",
    description: "Port to listen on; 0 takes a free one.",
    default: "7464",
  });
});

test("what was typed is handed on by name, and what was not is left to the file", () => {
  const invocation = {
    arguments: {},
    switches: new Set<string>(),
    terminal: createTerminal({}),
    env: {},
    stop: new AbortController().signal,
  };
  const typed = { config: "team.yaml", port: "80" };
  assert.deepEqual(configOptionsOf({ ...invocation, directory: "/here", options: typed }), {
    file: "team.yaml",
    directory: "/here",
    flags: { port: "80", host: undefined },
  });
});
