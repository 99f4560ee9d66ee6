import assert from "node:assert/strict";
import { test } from "node:test";
import { configFlagOptions, configOptionsOf } from "./options.ts";
import { createTerminal } from "./terminal.ts";

test("every key of the configuration that has a flag is an option", async () => {
  const options = await configFlagOptions();
  assert.deepEqual(Object.keys(options).slice(0, 2), ["port", "host"]);
  assert.deepEqual(options.port, {
    value: "PORT",
    description: "Port to listen on; 0 takes a free one.",
    default: "7464",
  });
});

test("options of the command line override the file, and other keys come from the file", async () => {
  const invocation = {
    arguments: {},
    words: [],
    commands: [],
    switches: new Set<string>(),
    terminal: createTerminal({}),
    env: {},
    stop: new AbortController().signal,
  };
  const typed = { config: "team.yaml", port: "80" };
  const found = await configOptionsOf({ ...invocation, directory: "/here", options: typed });
  assert.deepEqual([found.file, found.directory], ["team.yaml", "/here"]);
  assert.deepEqual([found.flags?.port, found.flags?.host], ["80", undefined]);
});
