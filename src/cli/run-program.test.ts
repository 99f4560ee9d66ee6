import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError } from "../config/index.ts";
import { CallError, RegistrationError } from "../core/index.ts";
import { type Command, CommandFailed, UsageError } from "./command.ts";
import { problemOfNode, runProgram } from "./run-program.ts";

const JSON_OPTION = { json: { description: "Prints JSON." } };

async function run(
  body: Command["run"],
  line: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stop = new AbortController().signal,
) {
  const out: string[] = [];
  const errors: string[] = [];
  const terminal = {
    print: (text: string) => void out.push(text),
    printError: (text: string) => void errors.push(text),
    columns: 80,
    emphasise: (text: string) => text,
    status: () => {},
    isWatched: false,
    gone: new AbortController().signal,
    ask: undefined,
  };
  const command: Command = { name: "do", summary: "Does it.", examples: [], options: JSON_OPTION, run: body };
  const program = { name: "house", summary: "Keeps a house.", version: "1.2.3", commands: [command] };
  const code = await runProgram(program, line, { terminal, directory: "/somewhere", env, stop });
  return { code, out: out.join("\n"), errors: errors.join("\n") };
}

const failing = (error: unknown) => () => {
  throw error;
};

test("a command runs with its surroundings, and ends with 0", async () => {
  const { code, out, errors } = await run(
    ({ terminal, directory, env }) => terminal.print(`${directory} ${env.HOME}`),
    ["do"],
    { HOME: "/home" },
  );
  assert.deepEqual([code, out, errors], [0, "/somewhere /home", ""]);
});

test("help and version are printed and end with 0", async () => {
  const nothing = () => {};
  assert.deepEqual(await run(nothing, ["--version"]), { code: 0, out: "1.2.3", errors: "" });
  assert.match((await run(nothing, [])).out, /^Keeps a house\.\n\nUsage: house <command>/);
  assert.match((await run(nothing, ["do", "--help"])).out, /^Does it\.\n\nUsage: house do \[options\]/);
});

test("a wrong command line ends with 2 and is reported on the error output", async () => {
  const { code, out, errors } = await run(() => {}, ["od"]);
  assert.deepEqual([code, out], [2, ""]);
  assert.match(errors, /^There is no command "od"\. Did you mean do\?/);
  assert.equal((await run(failing(new UsageError("No.")), ["do"])).code, 2);
});

test("an invalid flag is wrong usage, and an invalid file is a failure", async () => {
  const flag = { flag: "port", path: "server.port", message: "expected integer" };
  const line = { file: "pinhole.yaml", line: 2, path: "server.port", message: "expected integer" };
  assert.equal((await run(failing(new ConfigError([flag])), ["do"])).code, 2);
  assert.equal((await run(failing(new ConfigError([line, flag])), ["do"])).code, 1);
});

test("errors with advice are printed as they are", async () => {
  for (const error of [
    new ConfigError("Fix it."),
    new CallError("TIMEOUT", "Fix it."),
    new RegistrationError("Fix it."),
  ]) {
    assert.deepEqual(await run(failing(error), ["do"]), { code: 1, out: "", errors: "Fix it." });
  }
});

test("unexpected errors are printed with the way to see their stack", async () => {
  const hint = "Run it again with PINHOLE_DEBUG=1 to see where this comes from.";
  for (const error of [new Error("Broken"), "Broken"]) {
    assert.deepEqual(await run(failing(error), ["do"]), { code: 1, out: "", errors: `Broken\n${hint}` });
  }
  assert.match((await run(failing(new TypeError("")), ["do"])).errors, /^TypeError\n/);
  const { errors } = await run(failing(new Error("Broken")), ["do"], { PINHOLE_DEBUG: "1" });
  assert.match(errors, /^Error: Broken\n {4}at .*run-program\.test\.ts/s);
});

test("the exit code is the number that a command returns, or that of its error", async () => {
  assert.equal((await run(() => 4, ["do"])).code, 4);
  const failed = await run(failing(new CommandFailed(6, "Gone.")), ["do"]);
  assert.deepEqual(failed, { code: 6, out: "", errors: "Gone." });
});

test("a stopped command is not reported as failed", async () => {
  const stopped = await run(failing(new Error("aborted")), ["do"], {}, AbortSignal.abort());
  assert.deepEqual(stopped, { code: 130, out: "", errors: "" });
});

test("a stopped command is abandoned at once, unless it ends by itself", async () => {
  const stop = new AbortController();
  const never = run(() => new Promise(() => {}), ["do"], {}, stop.signal);
  stop.abort();
  assert.deepEqual(await never, { code: 130, out: "", errors: "" });
});

test("with --json a failure is one line of JSON and nothing else", async () => {
  const jsonOf = async (error: unknown) => {
    const { code, out, errors } = await run(failing(error), ["do", "--json"]);
    assert.equal(errors, "");
    assert.ok(!out.includes("\n"));
    return [code, JSON.parse(out).error];
  };
  const plain = { message: "No.", retryable: false };
  const wrong = [{ file: "pinhole.yaml", line: 2, path: "a", message: "No." }];
  assert.deepEqual(await jsonOf(new UsageError("No.")), [2, { code: "WRONG_USAGE", ...plain }]);
  assert.deepEqual(await jsonOf(new Error("No.")), [1, { code: "FAILED", ...plain }]);
  assert.deepEqual(await jsonOf(new ConfigError(wrong)), [
    1,
    {
      code: "WRONG_CONFIG",
      message: "pinhole.yaml:2  a: No.",
      retryable: false,
      details: { problems: wrong },
    },
  ]);
  const given = { code: "TIMEOUT", message: "Late.", retryable: true, details: { after: 5 } };
  const { code, ...options } = given;
  assert.deepEqual(await jsonOf(new CallError(code, given.message, options)), [1, given]);
  assert.deepEqual(await jsonOf(new CommandFailed(3, "TIMEOUT: Late.", given)), [3, given]);
});

test("a system error is explained in words, with the file", async () => {
  const file = join(import.meta.filename, "below");
  const refused = await readFile(file).catch((error: unknown) => error);
  assert.deepEqual(await run(failing(refused), ["do"]), {
    code: 1,
    out: "",
    errors: `${file} lies below something that is not a folder. Check the path.`,
  });
});

test("a Node that is too old for the package is refused, with the oldest that runs it", () => {
  assert.match(
    problemOfNode("20.20.2") ?? "",
    /^Pinhole needs Node 22\.19 or newer, and this is Node 20\.20\.2\./,
  );
  assert.notEqual(problemOfNode("22.18.0"), undefined);
  for (const version of ["22.19.0", "24.0.0"]) assert.equal(problemOfNode(version), undefined);
});
