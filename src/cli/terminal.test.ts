import assert from "node:assert/strict";
import { test } from "node:test";
import { createTerminal, withProgress } from "./terminal.ts";

test("text is bold only at a terminal", () => {
  assert.equal(createTerminal({}).emphasise("Usage:"), "Usage:");
  const look = (env: Readonly<Record<string, string>>) =>
    createTerminal({ isTTY: true }, { env }).emphasise("Usage:");
  assert.equal(look({ TERM: "xterm" }), "\x1b[1mUsage:\x1b[22m");
  assert.equal(look({ TERM: "xterm", NO_COLOR: "1" }), "Usage:");
  assert.equal(look({ TERM: "dumb" }), "Usage:");
});

test("a terminal that does not know its width has the usual one", () => {
  assert.equal(createTerminal({}).columns, 80);
  assert.equal(createTerminal({ columns: 0 }).columns, 80);
  assert.equal(createTerminal({ columns: 132 }).columns, 132);
});

test("output and errors go to different streams", (t) => {
  const log = t.mock.method(console, "log", () => {});
  const error = t.mock.method(console, "error", () => {});
  const terminal = createTerminal({});
  terminal.print("fine");
  terminal.printError("not fine");
  assert.deepEqual(log.mock.calls[0]?.arguments, ["fine"]);
  assert.deepEqual(error.mock.calls[0]?.arguments, ["not fine"]);
});

test("a status line replaces the one before, and is shown only at a terminal", () => {
  const written: string[] = [];
  const side = { isTTY: true, columns: 10, write: (text: string) => written.push(text) };
  createTerminal({}, { side, env: {} }).status("a long status line");
  createTerminal({}, { side, env: { TERM: "dumb" } }).status("as characters");
  createTerminal({}, { side: { ...side, isTTY: false } }).status("unseen");
  assert.deepEqual(written, ["\r\x1b[2Ka long st"]);
});

test("questions are asked only at a terminal with input and output", () => {
  const tty = { isTTY: true };
  assert.equal(createTerminal({}).ask, undefined);
  assert.equal(createTerminal(tty, { keyboard: {} }).ask, undefined);
  assert.equal(createTerminal({}, { keyboard: tty }).ask, undefined);
  assert.equal(typeof createTerminal(tty, { keyboard: tty }).ask, "function");
});

test("control characters are escaped at a terminal, and unchanged in a pipe", (t) => {
  const log = t.mock.method(console, "log", () => {});
  const written = "a\u001b]0;title\u0007\u009b2J\r\u202eb\n\tc é";
  const screen = createTerminal({ isTTY: true }, { env: {} });
  screen.print(`${screen.emphasise("Usage:")} ${written}`);
  createTerminal({}).print(written);
  assert.deepEqual(
    log.mock.calls.map(({ arguments: [text] }) => text),
    ["\x1b[1mUsage:\x1b[22m a\\u001b]0;title\\u0007\\u009b2J\\u000d\\u202eb\n\tc é", written],
  );
});

test("progress is shown for work that takes longer than a second, until it ends", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "Date"] });
  const shown: string[] = [];
  let finish = (_: string) => {};
  const work = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const answer = withProgress({ status: (text) => void shown.push(text) }, "Looking", () => work);
  t.mock.timers.tick(999);
  assert.deepEqual(shown, []);
  t.mock.timers.tick(1);
  t.mock.timers.tick(2_000);
  finish("done");
  assert.equal(await answer, "done");
  assert.equal(shown[0], "Looking … 1 s");
  assert.deepEqual(shown.slice(-2), ["Looking … 3 s", ""]);
});

test("progress leaves no line behind for quick or failed work", async () => {
  const shown: string[] = [];
  const terminal = { status: (text: string) => void shown.push(text) };
  assert.equal(await withProgress(terminal, "Looking", async () => 7), 7);
  await assert.rejects(
    withProgress(terminal, "Looking", () => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.deepEqual(shown, []);
});
