import assert from "node:assert/strict";
import { test } from "node:test";
import { ADA, BOB, close, failure, list, portOf, runtimeOf } from "../../../test/support/owned-projects.ts";
import { createRuntime } from "../../runtime.ts";
import { Owners } from "../access/index.ts";
import type { Identity, Ownership } from "../model/index.ts";
import { defineOperation, definePlugin, RegistrationError } from "../model/index.ts";

test("a port says which resources an identity has; static grants hold beside it", async () => {
  const { dispatch } = runtimeOf(portOf());
  const call = (id: string) => ({ operation: "projects/close", input: { id } });
  const granted = { ...BOB, resources: { "project:p9": ["close"] } };
  assert.equal(await dispatch.invoke(call("p1"), { identity: ADA }), "closed p1");
  assert.equal(await dispatch.invoke(call("p9"), { identity: granted }), "closed p9");
  for (const [identity, id] of [
    [ADA, "p9"],
    [BOB, "p1"],
    [granted, "p1"],
    [undefined, "p1"],
    [{ ...ADA, authenticated: false }, "p1"],
  ] as const) {
    const error = await failure(dispatch.invoke(call(id), identity && { identity }));
    assert.equal(error.code, "FORBIDDEN", `${identity?.id} ${id}`);
  }
});

test("types are asked once and kept for a minute; for callers without an identity nothing is asked", async () => {
  const asked: string[] = [];
  let now = 0;
  const { dispatch } = runtimeOf(portOf(asked), { owners: new Owners({ now: () => now }) });
  const look = (identity?: Identity) =>
    dispatch.invoke({ operation: "services/search", input: { query: "project" } }, identity && { identity });
  await Promise.all([look(ADA), look(ADA), look(ADA), look(BOB), look()]);
  now = 59_999;
  await look(ADA);
  assert.deepEqual(asked, ["types ada", "types bob"]);
  now = 60_001;
  await look(ADA);
  assert.deepEqual(asked.slice(2), ["types ada"]);
});

test("cached answers are dropped with a new runtime, as after a reload", async () => {
  const asked: string[] = [];
  const { registry, dispatch } = runtimeOf(portOf(asked));
  const again = createRuntime({ registry });
  const call = { operation: "services/list" };
  await dispatch.invoke(call, { identity: ADA });
  await again.dispatch.invoke(call, { identity: ADA });
  assert.deepEqual(asked, ["types ada", "types ada"]);
});

test("no port is asked where no operation has a type of it", async () => {
  const asked: string[] = [];
  const other = defineOperation({ ...close.spec, access: {}, type: "query", handler: () => "x" });
  const ownership = portOf(asked);
  const { dispatch } = createRuntime({
    sources: [definePlugin({ name: "p", operations: [other], ownership })],
  });
  await dispatch.invoke({ operation: "projects/close", input: {} }, { identity: ADA });
  assert.deepEqual(asked, []);
});

test("however many operations there are, lists and searches ask a port once", async () => {
  const asked: string[] = [];
  const operations = Array.from({ length: 2_000 }, (_, number) =>
    defineOperation({
      ...close.spec,
      name: `projects/close_${number}`,
      type: "mutation",
      handler: () => "x",
    }),
  );
  const { dispatch } = createRuntime({
    sources: [definePlugin({ name: "p", operations, ownership: portOf(asked) })],
  });
  const total = async (identity: Identity) => {
    const input = { query: "closes a project" };
    const found = await dispatch.invoke({ operation: "services/search", input }, { identity });
    return (found as { total: number }).total;
  };
  assert.equal(await total(ADA), 2_000);
  assert.equal(await total(BOB), 0);
  await dispatch.invoke({ operation: "services/list" }, { identity: ADA });
  assert.deepEqual(asked, ["types ada", "types bob"]);
});

test("a batch asks once for each resource", async () => {
  const asked: string[] = [];
  const { gateway } = runtimeOf(portOf(asked), { resolveIdentity: async () => ADA });
  const entrance = await gateway.enter("any");
  const calls = Array.from({ length: 40 }, (_, at) => ({
    operation: "projects/close",
    input: { id: `p${(at % 2) + 1}` },
  }));
  const envelope = await entrance.batch([
    ...calls,
    { operation: "projects/list" },
    { operation: "projects/list" },
  ]);
  assert.ok("results" in envelope && envelope.results.every((result) => "output" in result));
  assert.deepEqual(asked.sort(), [
    "list ada project read",
    "owns ada project:p1 close",
    "owns ada project:p2 close",
    "types ada",
  ]);
});

test("a port that throws, hangs or answers nonsense refuses with the bytes of a no, and the log says why", async () => {
  const logged: string[] = [];
  const keep = (message: string, fields?: object) => logged.push(`${message} ${JSON.stringify(fields)}`);
  const log = { warn: keep, error: keep };
  const throws = () => {
    throw new Error("the database is down");
  };
  const hangs = () => new Promise<never>(() => {});
  const bytesOf = async (other: Partial<Ownership>, operation: string, identity = ADA) => {
    const { dispatch } = runtimeOf(portOf([], other), { log, owners: new Owners({ log, patienceMs: 5 }) });
    const error = await failure(dispatch.invoke({ operation, input: { id: "p9" } }, { identity }));
    return JSON.stringify(error);
  };
  const nonsense = (value: unknown) => () => value as never;
  const cases = {
    owns: [throws, hangs, nonsense("yes"), nonsense(1), nonsense(undefined)],
    types: [throws, hangs, nonsense("project"), nonsense([1]), nonsense(["project", "team"]), nonsense(null)],
  };
  for (const [method, faults] of Object.entries(cases)) {
    const no = await bytesOf({ [method]: () => (method === "owns" ? false : []) }, "projects/close");
    for (const fault of faults) {
      logged.length = 0;
      assert.equal(await bytesOf({ [method]: fault }, "projects/close"), no, `${method} ${fault}`);
      assert.equal(logged.length, 1, `${method} ${fault}: ${logged}`);
      assert.match(
        logged[0] ?? "",
        new RegExp(`An ownership port failed.*"decides":\\["project"\\],"asked":"${method}"`),
      );
    }
  }
  for (const fault of [throws, hangs, nonsense("p1"), nonsense([7])])
    assert.match(await bytesOf({ list: fault }, "projects/list"), /FORBIDDEN.*may not read any project/);
});

test("a port that hangs holds a call no longer than its deadline", async () => {
  const hangs = () => new Promise<never>(() => {});
  for (const method of ["types", "owns", "list"]) {
    const { dispatch } = runtimeOf(portOf([], { [method]: hangs }));
    const operation = method === "list" ? "projects/list" : "projects/close";
    const call = { operation, input: { id: "p9" } };
    const error = await failure(dispatch.invoke(call, { identity: ADA, deadlineMs: 5 }));
    assert.equal(error.code, "TIMEOUT", method);
  }
});

test("a composition has what its authority says; no port is asked for it", async () => {
  const asked: string[] = [];
  const composer = (name: string, resources?: Record<string, string[]>) =>
    defineOperation({
      name: `compose/${name}`,
      type: "mutation",
      description: "Composes.",
      composes: ["projects/*"],
      ...(resources && { authority: { scopes: [], resources } }),
      handler: (_input, { env }) => env.invoke("projects/close", { id: "p1" }),
    });
  const { dispatch } = createRuntime({
    sources: [
      definePlugin({ name: "projects", operations: [close, list], ownership: portOf(asked) }),
      definePlugin({
        name: "c",
        operations: [composer("with", { "project:*": ["close"] }), composer("without")],
      }),
    ],
  });
  assert.equal(await dispatch.invoke({ operation: "compose/with" }, { identity: BOB }), "closed p1");
  assert.equal(
    (await failure(dispatch.invoke({ operation: "compose/without" }, { identity: ADA }))).code,
    "INTERNAL",
  );
  assert.ok(!asked.some((question) => question.startsWith("owns")), String(asked));
});

test("two plugins that decide over one type are refused, both named, and nothing changes", () => {
  const { registry } = runtimeOf(portOf());
  const other = definePlugin({ name: "others", operations: [], ownership: portOf() });
  const before = registry.snapshot();
  assert.throws(
    () => registry.apply({ replace: [other] }),
    (error: unknown) =>
      error instanceof RegistrationError &&
      error.code === "NAME_COLLISION" &&
      /"projects" and "others" both decide who has which project/.test(error.message),
  );
  assert.equal(registry.snapshot(), before);
  registry.apply({ remove: ["projects"], replace: [other] });
});

test("a stream's caller is not let in again once it has nothing of a type that it had", async () => {
  const { refusalToReadmit } = await import("./readmission.ts");
  const entered = (owned?: readonly string[]) =>
    Promise.resolve({ identity: { ...ADA, ...(owned && { owned }) } });
  const before = { ...ADA, owned: ["project"] };
  assert.equal(await refusalToReadmit(before, entered(["project"])), undefined);
  assert.equal((await refusalToReadmit(before, entered()))?.code, "FORBIDDEN");
});
