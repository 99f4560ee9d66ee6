import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError, defineOperation, definePlugin, type Identity } from "../../core/index.ts";
import { createRuntime } from "../../runtime.ts";

const ADA: Identity = { id: "ada", authenticated: true, scopes: ["secret"] };

const tracker = definePlugin({
  name: "tracker",
  description: "Issues and labels.",
  operations: [
    defineOperation({
      name: "tracker/create_issue",
      type: "mutation",
      description: "Opens a new issue in a repository.",
      tags: ["bug", "ticket"],
      inputSchema: {
        type: "object",
        properties: { title: { type: "string" }, body: { type: "string" } },
        required: ["title"],
      },
      outputSchema: { type: "object", title: "issue" },
      aliases: ["tracker/open_issue"],
      handler: () => ({}),
    }),
    defineOperation({
      name: "tracker/list_issues",
      type: "query",
      description: `Lists issues. ${"It can do much more than that. ".repeat(20)}`,
      handler: () => [],
    }),
    defineOperation({
      name: "tracker/find_issues",
      type: "query",
      description: "Finds issues.",
      deprecated: "tracker/list_issues",
      handler: () => [],
    }),
    defineOperation({
      name: "vault/read",
      type: "query",
      description: "Reads a secret issue.",
      access: { scopes: ["secret"] },
      handler: () => "",
    }),
    defineOperation({
      name: "tracker/watch",
      type: "subscription",
      description: "Streams changes of issues.",
      async *handler() {},
    }),
  ],
});

async function ask<Answer>(operation: string, input: object, identity?: Identity): Promise<Answer> {
  const { dispatch } = createRuntime({ sources: [tracker] });
  return (await dispatch.invoke({ operation, input }, identity ? { identity } : {})) as Answer;
}

interface Page {
  readonly operations: { readonly name: string; readonly description: string }[];
  readonly total: number;
  readonly nextCursor?: string;
}

const namesOf = ({ operations }: Pick<Page, "operations">) => operations.map(({ name }) => name);

test("list shows every operation of the caller by name, in pages", async () => {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await ask("services/list", { limit: 3, ...(cursor && { cursor }) });
    pages.push(namesOf(page));
    cursor = page.nextCursor;
  } while (cursor);
  assert.deepEqual(pages, [
    ["services/changes", "services/list", "services/schema"],
    ["services/search", "tracker/create_issue", "tracker/find_issues"],
    ["tracker/list_issues", "tracker/watch"],
  ]);
  assert.ok(namesOf(await ask("services/list", {}, ADA)).includes("vault/read"));
  assert.deepEqual(namesOf(await ask("services/list", { namespace: "vault" })), []);
});

test("a hit says that it writes where its type does not, and only then", async () => {
  const operation = (name: string, more: object) =>
    defineOperation({ name, type: "query", description: "Touches a file.", handler: () => 1, ...more });
  const operations = [
    operation("files/touch", { mutates: true }),
    operation("files/look", {}),
    operation("files/erase", { type: "mutation" }),
  ];
  const { dispatch } = createRuntime({ sources: [definePlugin({ name: "files", operations })] });
  for (const [operation, input] of [
    ["services/list", { namespace: "files" }],
    ["services/search", { query: "touch a file" }],
  ] as const) {
    const { operations: hits } = (await dispatch.invoke({ operation, input }, {})) as Page;
    const said = hits.filter((hit) => "mutates" in hit).map((hit) => [hit.name, Reflect.get(hit, "mutates")]);
    assert.deepEqual(said, [["files/touch", true]], operation);
    assert.equal(hits.length, 3);
  }
});

test("list shows whole specs on request, but never who may call", async () => {
  const { operations } = await ask<{ operations: object[] }>(
    "services/list",
    { full: true, namespace: "vault" },
    ADA,
  );
  assert.ok("inputSchema" in (operations[0] ?? {}));
  assert.ok(!JSON.stringify(operations).includes("access"));
});

test("schema answers specs for names and aliases and says which are missing", async () => {
  const answer = await ask<Page & { missing: string[] }>("services/schema", {
    name: "/tracker/open_issue",
    names: ["tracker/watch", "vault/read", "tracker/none", "tracker/watch"],
  });
  assert.deepEqual(namesOf(answer), ["tracker/create_issue", "tracker/watch"]);
  assert.deepEqual(answer.missing, ["vault/read", "tracker/none"]);
  assert.ok(!JSON.stringify(answer).includes("access"));
  assert.ok(!("missing" in (await ask<object>("services/schema", { name: "tracker/watch" }))));
  await assert.rejects(
    ask("services/schema", {}),
    (error) => error instanceof CallError && error.code === "INVALID_INPUT",
  );
  await assert.rejects(ask("services/schema", { names: Array(11).fill("a/b") }), { code: "INVALID_INPUT" });
});

test("search finds words in names, descriptions and tags, the deprecated last", async () => {
  const page = await ask<Page>("services/search", { query: "List the Issues of a ticket" });
  assert.equal(namesOf(page)[0], "tracker/list_issues");
  assert.equal(namesOf(page).at(-1), "tracker/find_issues");
  assert.match(page.operations.at(-1)?.description ?? "", /^Deprecated: use tracker\/list_issues\./);
  assert.deepEqual(namesOf(await ask("services/search", { query: "ticket" })), ["tracker/create_issue"]);
  assert.deepEqual(namesOf(await ask("services/search", { query: "xyzzy" })), []);
});

test("a hit has a description cut at a sentence and the signature", async () => {
  const [first] = (await ask<Page>("services/search", { query: "lists issues", limit: 1 })).operations;
  assert.ok((first?.description.length ?? 999) <= 200);
  assert.match(first?.description ?? "", /than that\.$/);
  const [issue] = (await ask<Page>("services/search", { query: "create_issue" })).operations;
  assert.deepEqual(issue, {
    name: "tracker/create_issue",
    type: "mutation",
    description: "Opens a new issue in a repository.",
    signature: "(title: string, body?: string) → issue",
  });
});

test("search goes page by page and can be narrowed", async () => {
  const first = await ask<Page>("services/search", { query: "issues", limit: 2 });
  const second = await ask<Page>("services/search", { query: "issues", limit: 2, cursor: first.nextCursor });
  assert.equal(first.nextCursor, "2");
  assert.equal(second.nextCursor, undefined);
  assert.equal(new Set([...namesOf(first), ...namesOf(second)]).size, first.total);
  assert.deepEqual(namesOf(await ask("services/search", { query: "issues", type: "subscription" })), [
    "tracker/watch",
  ]);
  assert.deepEqual(namesOf(await ask("services/search", { query: "issue", namespace: "vault" }, ADA)), [
    "vault/read",
  ]);
});

test("several queries answer as groups without repeats", async () => {
  const { groups } = await ask<{ groups: (Page & { query: string })[] }>("services/search", {
    query: ["create issue", "issue", "streams"],
  });
  assert.deepEqual(
    groups.map(({ query }) => query),
    ["create issue", "issue", "streams"],
  );
  const names = groups.flatMap(namesOf);
  assert.equal(new Set(names).size, names.length);
});

test("search without a query shows the namespaces that the caller can see", async () => {
  const { namespaces } = await ask<{ namespaces: unknown[] }>("services/search", {});
  assert.deepEqual(namespaces, [
    { name: "services", description: "Find operations and read how to call them.", operations: 4 },
    { name: "tracker", description: "Issues and labels.", operations: 4 },
  ]);
  const narrowed = await ask<{ namespaces: { operations: number }[] }>("services/search", {
    query: " ",
    type: "subscription",
  });
  assert.deepEqual(
    narrowed.namespaces.map(({ operations }) => operations),
    [1, 1],
  );
});

test("schema of an unknown name has the nearest names that the caller sees", async () => {
  const names = ["tracker/creat_issue", "tracker/watch", "nothing/like-it", "vault/reed", "__proto__"];
  const anyone = await ask<{ missing: string[]; nearest: Record<string, string[]> }>("services/schema", {
    names,
  });
  assert.deepEqual(
    anyone.missing,
    names.filter((name) => name !== "tracker/watch"),
  );
  assert.deepEqual(Object.keys(anyone.nearest), ["tracker/creat_issue"]);
  assert.equal(anyone.nearest["tracker/creat_issue"]?.[0], "tracker/create_issue");
  const { nearest } = await ask<{ nearest: unknown }>("services/schema", { name: "vault/reed" }, ADA);
  assert.deepEqual(nearest, { "vault/reed": ["vault/read"] });
});

test("an operation that composes a service sees what its own authority may see, and nothing internal", async () => {
  const peek = defineOperation({
    name: "peek/all",
    type: "query",
    description: "For a test.",
    composes: ["services/*"],
    authority: { scopes: ["secret"] },
    handler: (_input, { env }) =>
      env.invoke("services/list", { limit: 500 }, { select: "operations[].name" }),
  });
  const inner = defineOperation({
    name: "peek/inner",
    type: "query",
    visibility: "internal",
    description: "For a test.",
    handler: () => 1,
  });
  const { dispatch } = createRuntime({
    sources: [tracker, definePlugin({ name: "peek", operations: [peek, inner] })],
  });
  const names = (await dispatch.invoke({ operation: "peek/all" })) as string[];
  assert.ok(names.includes("vault/read") && !names.includes("peek/inner"));
});

test("several queries, one without an answer, say which one it is and where to look", async () => {
  const { groups, note } = await ask<{ groups: (Page & { query: string })[]; note?: string }>(
    "services/search",
    { query: ["create issue", "xyzzy plugh"] },
  );
  assert.equal(groups.length, 2);
  assert.match(note ?? "", /^Nothing fits well for "xyzzy plugh"\. /);
  const good = await ask<{ note?: string }>("services/search", { query: ["create issue", "list issues"] });
  assert.equal(good.note, undefined);
});
