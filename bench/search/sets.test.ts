import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { childEnv } from "../../test/support/child-env.ts";
import { judge } from "./metrics.ts";
import { readSet, SetError } from "./read-set.ts";
import { toSources } from "./to-sources.ts";

const MAIN = join(import.meta.dirname, "main.ts");

function folderWith(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "pinhole-set-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

function rows(...all: readonly object[]): string {
  return all.map((row) => JSON.stringify(row)).join("\n");
}

const TOOLS = rows(
  { id: "mail", server: "post", name: "send_mail", description: "Sends a mail" },
  { id: "twice", server: "bank", name: "convert", description: "Converts a currency" },
  { id: "twice", server: "bank", name: "convert", description: "Converts one currency into another" },
  { id: 7, name: "translate", description: null, inputSchema: "none" },
);

test("a set with gaps is read: no server, no description, numbered tools, other line ends, compressed", (t) => {
  const text = `\uFEFF${TOOLS.replaceAll("\n", "\r\n")}\r\n\r\n`;
  const { tools, queries } = readSet(folderWith(t, { "tools.jsonl.gz": gzipSync(text) }));
  assert.deepEqual(tools.at(-1), {
    id: "7",
    server: "",
    name: "translate",
    description: "",
    inputSchema: "none",
  });
  assert.equal(tools.length, 4);
  assert.deepEqual(queries, []);
});

test("a set that cannot be read says where and why", (t) => {
  const refused = (files: Readonly<Record<string, string>>, message: RegExp) => {
    const folder = folderWith(t, files);
    assert.throws(
      () => readSet(folder),
      (error) => error instanceof SetError && message.test(error.message),
    );
  };
  refused({}, /has no tools.jsonl and no tools.jsonl.gz/);
  refused({ "tools.jsonl": "\n" }, /it is empty/);
  refused({ "tools.jsonl": `${TOOLS}\n{"id":` }, /tools.jsonl, line 5: /);
  refused({ "tools.jsonl": '{"name": "x"}' }, /line 1: "id" is not an id/);
  refused(
    { "tools.jsonl": TOOLS, "queries.jsonl": '{"query": "x"}' },
    /line 1: "relevant" is not a list of ids/,
  );
});

test("servers stay apart whatever their names become, and what is lost of a name is its title", () => {
  const tool = (server: string, name: string) => ({ id: `${server}/${name}`, server, name, description: "" });
  const { sources, idOf } = toSources([
    tool("天气", "获取天气"),
    tool("地图", "路线"),
    tool("a b", "x"),
    tool("a_b", "x"),
  ]);
  assert.deepEqual(
    sources.map(({ source }) => [source.name, source.title]),
    [
      ["_", "天气"],
      ["__2", "地图"],
      ["a_b", undefined],
      ["a_b_2", undefined],
    ],
  );
  assert.equal(sources[0]?.registrations[0]?.spec.title, "获取天气");
  assert.equal(idOf.get("a_b_2/x"), "a_b/x");
});

test("very many tools of one name are told apart in no time", () => {
  const { idOf } = toSources(
    Array.from({ length: 50_000 }, (_, number) => ({
      id: `${number}`,
      server: "s",
      name: "图",
      description: "",
    })),
  );
  assert.equal(idOf.size, 50_000);
});

test("rankings are judged as the definitions say", () => {
  const relevant = ["a", "b", "c"];
  const ideal = 1 + 1 / Math.log2(3) + 1 / Math.log2(4);
  const found = judge(["x", "a", "y", "z", "b", "w"], relevant);
  assert.deepEqual(
    Object.fromEntries(Object.entries(found).map(([metric, value]) => [metric, Math.round(value * 1e6)])),
    {
      ndcg10: Math.round(((1 / Math.log2(3) + 1 / Math.log2(6)) / ideal) * 1e8),
      recall1: 0,
      recall5: Math.round((2 / 3) * 1e8),
      recall10: Math.round((2 / 3) * 1e8),
      mrr: 50e6,
      hit1: 0,
    },
  );
  const twice = judge(["a", "a", "a"], ["a"]);
  assert.deepEqual([twice.recall5, twice.ndcg10, twice.hit1], [100, 100, 100]);
});

test("the command answers in JSON, leaves out what has no answer, and does not take a tool for its own rival", (t) => {
  const queries = rows(
    { id: 1, query: "send a mail", relevant: ["mail"] },
    { id: 2, query: "translate", relevant: [7, "gone"] },
    { id: 3, query: "nothing", relevant: [] },
  );
  const folder = folderWith(t, { "tools.jsonl": TOOLS, "queries.jsonl": queries });
  const env = childEnv();
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, ...args], { env, encoding: "utf8" });

  const { stdout, stderr, status } = run("--data", folder, "--pool", folder, "--json");
  assert.equal(status, 0, stderr);
  assert.match(stderr, /1 questions name no tool; they are left out/);
  assert.match(stderr, /1 answers are not tools of it; they count as not found/);
  const { sets, mean } = JSON.parse(stdout);
  const [figures] = Object.values(sets) as { tools: number; queries: number }[];
  assert.deepEqual([figures?.tools, figures?.queries], [4, 2]);
  assert.deepEqual([mean.hit1, mean.recall5, mean.mrr], [100, 75, 100]);

  const wrong = run("--dta", folder);
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /^Unknown option '--dta'[\s\S]*Usage: /);
  assert.doesNotMatch(wrong.stderr, /\n +at /, "no stack");
});
