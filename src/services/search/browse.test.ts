import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError, defineOperation, definePlugin, type Identity } from "../../core/index.ts";
import { createRuntime } from "../../runtime.ts";

const ADA: Identity = { id: "ada", authenticated: true, scopes: ["secret"] };

const operation = (name: string, type: "query" | "mutation", scopes: readonly string[] = []) =>
  defineOperation({ name, type, description: "Works on issues.", access: { scopes }, handler: () => 1 });

const tracker = definePlugin({
  name: "tracker",
  operations: [
    operation("tracker/list_issues", "query"),
    operation("tracker/create_issue", "mutation"),
    operation("tracker/find_issues", "query"),
    defineOperation({
      name: "tracker/watch",
      type: "subscription",
      description: "Streams issues.",
      async *handler() {},
    }),
    operation("vault/read", "query", ["secret"]),
  ],
});

interface Page {
  readonly operations: readonly { readonly name: string }[];
  readonly total: number;
  readonly nextCursor?: string;
}

const { dispatch } = createRuntime({ sources: [tracker] });

async function ask<Answer = Page>(operation: string, input: object, identity?: Identity): Promise<Answer> {
  return (await dispatch.invoke({ operation, input }, identity && { identity })) as Answer;
}

function namesOf({ operations }: Page): string[] {
  return operations.map(({ name }) => name);
}

test("search with a namespace and no query lists what is in it, by name and in pages", async () => {
  const whole = await ask<Page>("services/search", { namespace: "tracker" });
  assert.deepEqual(namesOf(whole), [
    "tracker/create_issue",
    "tracker/find_issues",
    "tracker/list_issues",
    "tracker/watch",
  ]);
  assert.deepEqual([whole.total, whole.nextCursor], [4, undefined]);

  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const input = { namespace: "tracker", query: "", limit: 3, ...(cursor !== undefined && { cursor }) };
    const page = await ask<Page>("services/search", input);
    pages.push(namesOf(page));
    assert.equal(page.total, 4);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(pages, [namesOf(whole).slice(0, 3), ["tracker/watch"]]);
  assert.deepEqual(
    namesOf(await ask("services/search", { namespace: "tracker", type: ["query", "mutation"] })).length,
    3,
  );
});

test("a namespace that the caller does not see is empty, with a note on those it sees", async () => {
  const hidden = await ask<Page & { note: string }>("services/search", { namespace: "vault" });
  assert.deepEqual([hidden.operations, hidden.total], [[], 0]);
  assert.equal(
    hidden.note,
    'There is nothing in a namespace "vault". The namespaces here: services, tracker. List one with {"namespace": "services"}.',
  );
  const unknown = await ask<{ note: string }>("services/search", { namespace: "cellar" });
  assert.equal(unknown.note, hidden.note.replace("vault", "cellar"));
  assert.deepEqual(namesOf(await ask("services/search", { namespace: "vault" }, ADA)), ["vault/read"]);
});

test("a cursor of another list is refused, with what to do", async () => {
  for (const input of [
    { query: "issues", cursor: "tracker/watch" },
    { cursor: "tracker/watch" },
    { namespace: "tracker", cursor: "2" },
  ]) {
    await assert.rejects(ask("services/search", input), (error) => {
      assert.ok(error instanceof CallError);
      assert.equal(error.code, "INVALID_INPUT");
      assert.match(error.message, /nextCursor of the page before/);
      return true;
    });
  }
});

test("a note on a weak answer names a search that lists a namespace, and it does", async () => {
  const { note = "" } = await ask<{ note?: string }>("services/search", { query: "xyzzy plugh" });
  const example = /\{"namespace": "\w+"\}/.exec(note)?.[0] ?? "";
  assert.ok(namesOf(await ask("services/search", JSON.parse(example))).length > 0, note);
});
