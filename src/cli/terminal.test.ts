import assert from "node:assert/strict";
import { test } from "node:test";
import { createTerminal } from "./terminal.ts";

test("text stands out only where a person looks at it", () => {
  assert.equal(createTerminal({}).emphasise("Usage:"), "Usage:");
  assert.match(createTerminal({ isTTY: true }).emphasise("Usage:"), /Usage:/);
});

test("a terminal that does not know its width has the usual one", () => {
  assert.equal(createTerminal({}).columns, 80);
  assert.equal(createTerminal({ columns: 0 }).columns, 80);
  assert.equal(createTerminal({ columns: 132 }).columns, 132);
});

test("what is printed and what is complained about go to different places", (t) => {
  const log = t.mock.method(console, "log", () => {});
  const error = t.mock.method(console, "error", () => {});
  const terminal = createTerminal({});
  terminal.print("fine");
  terminal.printError("not fine");
  assert.deepEqual(log.mock.calls[0]?.arguments, ["fine"]);
  assert.deepEqual(error.mock.calls[0]?.arguments, ["not fine"]);
});

test("a status line takes the place of the one before, and only where somebody watches", () => {
  const written: string[] = [];
  const side = { isTTY: true, columns: 10, write: (text: string) => written.push(text) };
  createTerminal({}, { side }).status("a long status line");
  createTerminal({}, { side: { ...side, isTTY: false } }).status("unseen");
  assert.deepEqual(written, ["\r\x1b[2Ka long st"]);
});

test("questions are asked only where somebody can see and answer them", () => {
  const tty = { isTTY: true };
  assert.equal(createTerminal({}).ask, undefined);
  assert.equal(createTerminal(tty, { keyboard: {} }).ask, undefined);
  assert.equal(createTerminal({}, { keyboard: tty }).ask, undefined);
  assert.equal(typeof createTerminal(tty, { keyboard: tty }).ask, "function");
});
