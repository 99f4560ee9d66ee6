import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, Program } from "./command.ts";
import { helpOfCommand, helpOfProgram } from "./help.ts";

const paint: Command = {
  name: "paint",
  summary: "Paints a wall.",
  description:
    "Takes as long as it takes, and then some more for the second coat of paint.\n\nBring a brush.",
  examples: [
    { line: "house paint north", meaning: "Paints the north wall." },
    { line: "house paint --colour red", meaning: "Paints in red." },
  ],
  arguments: [{ name: "wall", description: "What to paint." }],
  options: {
    colour: { value: "NAME", description: "In which colour.", default: "white" },
    quick: { description: "Hurry." },
  },
  run: () => {},
};
const program: Program = { name: "house", summary: "Keeps a house.", version: "1", commands: [paint] };
const look = { columns: 60, emphasise: (text: string) => text };

test("the help of the program lists its commands and first examples", () => {
  assert.equal(
    helpOfProgram(program, look),
    `Keeps a house.

Usage: house <command> [options]

Commands:
  paint  Paints a wall.
  help   Shows the help of a command.

Options:
  -h, --help     Shows this help.
  -v, --version  Shows the version.

Examples:
  house paint north  Paints the north wall.

Run house help <command> for more about a command.`,
  );
});

test("the help of a command shows its whole record within the width", () => {
  assert.equal(
    helpOfCommand(program, paint, look),
    `Paints a wall.

Takes as long as it takes, and then some more for the second
coat of paint.

Bring a brush.

Usage: house paint <wall> [options]

Arguments:
  wall  What to paint.

Options:
  --colour NAME  In which colour. Default: white
  --quick        Hurry.
  -h, --help     Shows this help.

Examples:
  house paint north         Paints the north wall.
  house paint --colour red  Paints in red.`,
  );
});

test("help is readable on a very narrow and on a very wide terminal", () => {
  const narrow = helpOfCommand(program, paint, { ...look, columns: 1 }).split("\n");
  assert.ok(Math.max(...narrow.map((line) => line.length)) <= 40);
  assert.match(narrow.join("\n"), / {2}house paint --colour red\n +Paints in red\./);
  const words = { ...paint, description: "word ".repeat(100).trim() };
  const wide = helpOfCommand(program, words, { ...look, columns: 1000 }).split("\n");
  assert.ok(Math.max(...wide.map((line) => line.length)) <= 100);
});

test("titles of help are bold if the terminal can show it", () => {
  const loud = helpOfProgram(program, { columns: 80, emphasise: (text) => text.toUpperCase() });
  assert.match(loud, /^USAGE: house .*^COMMANDS:$.*^OPTIONS:$.*^EXAMPLES:$/ms);
});
