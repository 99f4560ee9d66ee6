import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, Program } from "./command.ts";
import { parseCommandLine } from "./parse.ts";

const paint: Command = {
  name: "paint",
  summary: "Paints.",
  examples: [],
  arguments: [{ name: "wall", description: "What to paint." }],
  options: { colour: { value: "NAME", description: "Which." }, quick: { description: "Hurry." } },
  run: () => {},
};
const program: Program = { name: "house", summary: "", version: "1", commands: [paint] };
const parse = (...line: string[]) => parseCommandLine(program, line);

function refused(line: string, message: string): Promise<void> {
  return assert.rejects(() => parse(...line.split(" ")), { name: "UsageError", message });
}

test("arguments, options and switches reach their command", async () => {
  const expected = {
    kind: "run",
    command: paint,
    arguments: { wall: "north" },
    words: ["north"],
    options: { colour: "red" },
    switches: new Set(["quick"]),
  };
  assert.deepEqual(await parse("paint", "north", "--colour", "red", "--quick"), expected);
  assert.deepEqual(await parse("paint", "--quick", "--colour=blue", "--colour=red", "--", "north"), expected);
  assert.deepEqual(await parse("paint"), {
    ...expected,
    arguments: {},
    words: [],
    options: {},
    switches: new Set(),
  });
});

test("a value that begins with a dash is given with =", async () => {
  const request = await parse("paint", "--colour=-1");
  assert.deepEqual(request.kind === "run" && request.options, { colour: "-1" });
  await refused(
    "paint --colour -1",
    "--colour needs a value: --colour NAME. Run house paint --help to see all.",
  );
});

test("help and version are asked for in every usual way", async () => {
  for (const line of [[], ["--help"], ["-h"], ["help"]])
    assert.deepEqual(await parse(...line), { kind: "help" });
  for (const line of [
    ["help", "paint"],
    ["paint", "--help"],
    ["paint", "-h"],
    ["paint", "a", "b", "--color", "-h"],
  ]) {
    assert.deepEqual(await parse(...line), { kind: "help", command: paint });
  }
  for (const option of ["--version", "-v"]) assert.deepEqual(await parse(option), { kind: "version" });
});

test("an unknown command is refused with the nearest one", async () => {
  await refused("pain", 'There is no command "pain". Did you mean paint? Run house --help to see all.');
  await refused(
    "help piant",
    'There is no command "piant". Did you mean paint? Run house --help to see all.',
  );
  await refused("hepl", 'There is no command "hepl". Did you mean help? Run house --help to see all.');
  await refused("demolish", 'There is no command "demolish". Run house --help to see all.');
});

test("an unknown option is refused with the nearest one", async () => {
  await refused(
    "paint --color red",
    "There is no option --color. Did you mean --colour? Run house paint --help to see all.",
  );
  await refused(
    "paint --hepl",
    "There is no option --hepl. Did you mean --help? Run house paint --help to see all.",
  );
  await refused("paint -x", "There is no option -x. Run house paint --help to see all.");
  await refused("paint --toString", "There is no option --toString. Run house paint --help to see all.");
  await refused(
    "--verson",
    'There is no option "--verson". Did you mean --version? Run house --help to see all.',
  );
});

test("an option before its command is refused with the correct place", async () => {
  await refused("--colour=red paint", "--colour comes after its command: house paint --colour");
});

test("an unexpected value, a missing value and an extra argument are refused", async () => {
  await refused("paint --quick=yes", "--quick takes no value. Run house paint --help to see all.");
  await refused(
    "paint --colour",
    "--colour needs a value: --colour NAME. Run house paint --help to see all.",
  );
  await refused(
    "paint --colour=",
    "--colour needs a value: --colour NAME. Run house paint --help to see all.",
  );
  await refused(
    "paint --colour --quick",
    "--colour needs a value: --colour NAME. Run house paint --help to see all.",
  );
  await refused("paint north south", '"south" is one argument too many. Run house paint --help to see all.');
});

test("an argument with choices refuses any other value", async () => {
  const ship = { ...paint, arguments: [{ name: "shell", description: "", choices: ["bash", "zsh"] }] };
  const line = ["paint", "csh"];
  await assert.rejects(() => parseCommandLine({ ...program, commands: [ship] }, line), {
    message: 'shell is one of bash, zsh, not "csh". Run house paint --help to see all.',
  });
});

test("options that load late are accepted, suggested and in the help like the others", async () => {
  const late = { ...paint, lateOptions: async () => ({ coats: { value: "N", description: "How many." } }) };
  const house = { ...program, commands: [late] };
  const request = await parseCommandLine(house, ["paint", "--coats", "2"]);
  assert.deepEqual(request.kind === "run" && request.options, { coats: "2" });
  await assert.rejects(() => parseCommandLine(house, ["--coats", "2"]), /--coats comes after its command/);
  const help = await parseCommandLine(house, ["help", "paint"]);
  assert.ok(help.kind === "help" && help.command?.options.coats);
});
