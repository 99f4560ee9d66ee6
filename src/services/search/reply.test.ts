import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { defineOperation, definePlugin, type Registration } from "../../core/index.ts";
import { createRuntime } from "../../runtime.ts";
import { cutAtSentence } from "./hit.ts";

const PARAMETERS = Object.fromEntries(
  Array.from({ length: 30 }, (_, number) => [`someLongParameterName${number}`, { type: "string" }]),
);

function talkative(text: string): readonly Registration[] {
  return Array.from({ length: 60 }, (_, number) =>
    defineOperation({
      name: `talk/operation_with_a_rather_long_name_${number}`,
      type: "query",
      description: text.repeat(40),
      inputSchema: { type: "object", properties: PARAMETERS },
      handler: () => null,
    }),
  );
}

async function ask(operations: readonly Registration[], input: object, budgetTokens?: number) {
  const { dispatch } = createRuntime({
    sources: [definePlugin({ name: "talk", operations })],
    ...(budgetTokens !== undefined && { search: { budgetTokens } }),
  });
  return dispatch.invoke({ operation: "services/search", input });
}

test("a reply stays under its budget whatever the descriptions are", async () => {
  const texts = [
    "An operation that talks and talks about everything it could do for you. ",
    "这是一个非常详细的操作说明，它可以做很多事情。",
    "supercalifragilisticexpialidocious-",
    '{"a":[1,2,3]} ',
    "👩‍👩‍👧‍👦🏳️‍🌈🧑🏽‍🚀",
    "z̸̢̛a̷̧l̵g̶o̴ ",
    "aGVsbG8gd29ybGQhIQ==",
    "!@#$%^&*(){}[]|:;<>,.?/~`",
    "𓀀𓁀𓂀",
    "བོད་སྐད་",
    "⠓⠑⠇⠇⠕",
    "𝓗𝓮𝓵𝓵𝓸",
    "bcdfghjklmnpqrstvwxz",
  ];
  for (const text of texts) {
    const operations = talkative(text);
    const page = await ask(operations, { query: "operation with a rather long name" });
    assert.ok(
      countTokens(JSON.stringify(page)) <= 600,
      `${countTokens(JSON.stringify(page))} tokens for ${text}`,
    );
    const small = await ask(operations, { query: "operation with a rather long name" }, 200);
    assert.ok(countTokens(JSON.stringify(small)) <= 200);
    const groups = await ask(operations, { query: ["operation", "long name", "talks"] });
    assert.ok(countTokens(JSON.stringify(groups)) <= 600);
  }
});

test("the note on a weak answer is part of the budget, however long the names of namespaces are", async () => {
  const operations = Array.from({ length: 20 }, (_, number) =>
    defineOperation({
      name: `${"a-rather-long-name-of-a-namespace-".repeat(5)}${number}/read`,
      type: "query",
      description: "Reads the weather of a town and of all the towns that lie around it. ".repeat(5),
      inputSchema: { type: "object", properties: PARAMETERS },
      handler: () => null,
    }),
  );
  for (const query of ["weather quux frob blorb zyzzy", "zyzzyva quux", ["weather quux blorb", "zyzzyva"]]) {
    const page = (await ask(operations, { query })) as { note?: string };
    assert.ok(page.note);
    assert.ok(countTokens(JSON.stringify(page)) <= 600, `${countTokens(JSON.stringify(page))} tokens`);
  }
});

test("a hit that the budget keeps out of one group can be in the next", async () => {
  const names = ["alpha", "alpha_beta"].map((name) => `talk/${name}_${"of_a_long_name_".repeat(8)}`);
  const operations = names.map((name) =>
    defineOperation({ name, type: "query", description: ".", handler: () => null }),
  );
  const { groups } = (await ask(operations, { query: ["alpha", "beta"], namespace: "talk" }, 150)) as {
    groups: { operations: { name: string }[] }[];
  };
  assert.deepEqual(
    groups.map((group) => group.operations.map(({ name }) => name)),
    [[names[0]], [names[1]]],
  );
});

test("hits that the budget leaves out come with the next page", async () => {
  const operations = talkative("Words. ");
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const input = { query: "operation", ...(cursor !== undefined && { cursor }) };
    const page = (await ask(operations, input, 150)) as {
      operations: { name: string }[];
      nextCursor?: string;
    };
    assert.ok(page.operations.length > 0);
    for (const { name } of page.operations) seen.add(name);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.equal([...seen].filter((name) => name.startsWith("talk/")).length, 60);
});

test("the namespaces stay under the budget too, and go on with a cursor", async () => {
  const operations = Array.from({ length: 300 }, (_, number) =>
    defineOperation({
      name: `namespace_${number}/read`,
      type: "query",
      description: "For a test.",
      handler: () => null,
    }),
  );
  const page = (await ask(operations, {})) as { namespaces: { name: string }[]; nextCursor: string };
  assert.ok(countTokens(JSON.stringify(page)) <= 600);
  const next = (await ask(operations, { cursor: page.nextCursor })) as typeof page;
  assert.ok(!next.namespaces.some(({ name }) => page.namespaces.some((shown) => shown.name === name)));
});

test("a text is cut at a sentence, else at a word", () => {
  assert.equal(cutAtSentence("One thing. Another thing that is long.", 20), "One thing.");
  assert.equal(cutAtSentence("一个操作。另一个很长的操作说明文字。", 10), "一个操作。");
  assert.equal(cutAtSentence("words that go on and on without an end", 20), "words that go on…");
  assert.equal(cutAtSentence("two\n  lines", 20), "two lines");
  assert.equal(cutAtSentence("🧑".repeat(20), 10), "🧑🧑🧑🧑…", "no character is cut in two");
  assert.equal(cutAtSentence(`a${"🧑".repeat(20)}`, 10), "a🧑🧑🧑🧑…");
});
