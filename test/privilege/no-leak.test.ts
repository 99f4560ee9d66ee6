import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type AccessPolicy,
  CallError,
  createRuntime,
  defineOperation,
  type Identity,
  type OperationContext,
  type Ownership,
  type Registration,
  type Runtime,
} from "pinhole/core";
import { scaled } from "../support/scale.ts";

const RUNS = scaled(60, 2_000);
const SCOPES = ["red", "green", "blue"];
const WORDS = ["list", "lists", "listed", "last", "least", "lost", "post", "posts"];

/** One random operation. The names are close to each other, so that suggestions have much to choose from. */
interface Plan {
  readonly namespace: string;
  readonly word: string;
  readonly alias: boolean;
  readonly internal: boolean;
  readonly imported: boolean;
  readonly public: boolean;
  readonly stream: boolean;
  readonly scopes: readonly string[];
  readonly anyScope: readonly string[] | undefined;
  readonly authenticated: boolean;
  /** The type of the resource that it acts on; every caller has `cup`, some have `jug`, none has `jar`. */
  readonly resource: "cup" | "jug" | "jar" | undefined;
  readonly composesAll: boolean;
  readonly connection: "mine" | "theirs" | undefined;
}

const planOf: fc.Arbitrary<Plan> = fc.record({
  namespace: fc.constantFrom("box", "box2", "fox"),
  word: fc.constantFrom(...WORDS),
  alias: fc.boolean(),
  internal: fc.boolean(),
  imported: fc.boolean(),
  public: fc.boolean(),
  stream: fc.nat(4).map((dice) => dice === 0),
  scopes: fc.subarray(SCOPES, { maxLength: 2 }),
  anyScope: fc.option(fc.subarray(SCOPES, { minLength: 1 }), { nil: undefined }),
  authenticated: fc.boolean(),
  resource: fc.constantFrom(undefined, undefined, undefined, "cup" as const, "jug" as const, "jar" as const),
  composesAll: fc.nat(9).map((dice) => dice === 0),
  connection: fc.constantFrom(undefined, undefined, undefined, "mine" as const, "theirs" as const),
});

const plansOf = fc.uniqueArray(planOf, { maxLength: 10, selector: nameOf });

const policyOf: fc.Arbitrary<AccessPolicy> = fc.record({
  deny: fc.subarray(["box/l*", "*/post", "fox/*", "old/*s"]),
  anonymous: fc.nat(5).map((dice) => dice > 0),
  hideForbidden: fc.boolean(),
  identitiesConfigured: fc.boolean(),
});

const callerOf: fc.Arbitrary<Identity> = fc.oneof(
  fc.constant({ id: "anonymous", authenticated: false, scopes: [] }),
  fc
    .tuple(fc.subarray(SCOPES), fc.constantFrom("caller", "owner"))
    .map(([scopes, id]) => ({ id, authenticated: true, scopes })),
);

/** Gives out cups to all and jugs to owners, whichever is asked for. */
const OWNERSHIP: Ownership = {
  decides: ["cup", "jug", "jar"],
  types: ({ id }) => (id === "owner" ? ["cup", "jug"] : ["cup"]),
  owns: async () => true,
  list: async () => [],
};

test("nothing that a caller may not see shows in any answer, error, count or suggestion", async () => {
  await fc.assert(
    fc.asyncProperty(plansOf, policyOf, callerOf, async (plans, policy, caller) => {
      const sight = new Map(plans.map((plan) => [plan, sightOf(plan, policy, caller)]));
      const visible = plans.filter((plan) => sight.get(plan) === "open").map(nameOf);
      const names = plans.flatMap((plan) => (plan.alias ? [nameOf(plan), aliasOf(plan)] : [nameOf(plan)]));
      const existing = plans.filter((plan) => sight.get(plan) !== "absent");

      const whole = await askEverything(runtimeOf(plans, policy, caller), caller, names);
      // What a composer answers may depend on what it composes; then only names and marks are looked for.
      if (!plans.some(({ composesAll }) => composesAll)) {
        const honest = await askEverything(runtimeOf(existing, policy, caller), caller, names);
        assert.deepEqual(whole, honest, "with and without what does not exist for the caller: equal bytes");
      }

      const hidden = plans.filter((plan) => sight.get(plan) !== "open");
      for (const [question, answer] of Object.entries(whole)) {
        for (const plan of hidden) {
          const mark = markOf(plan);
          assert.ok(!answer.includes(mark), `${mark} shows in the answer to ${question}: ${answer}`);
          const asked = question.includes(nameOf(plan)) || question.includes(aliasOf(plan));
          if (!asked)
            assert.ok(!quotes(answer, nameOf(plan)), `${nameOf(plan)} shows in ${question}: ${answer}`);
        }
      }
      if (policy.anonymous || caller.authenticated) assertCounts(whole, visible);
    }),
    { numRuns: RUNS },
  );
});

/** Every question that a caller can ask, with its answer as bytes, request ids aside. */
async function askEverything(
  { dispatch, gateway }: Runtime,
  caller: Identity,
  names: readonly string[],
): Promise<Record<string, string>> {
  const root = { identity: caller, connection: "mine" };
  const answers: Record<string, string> = {};
  const ask = async (question: string, work: Promise<unknown>) => {
    const answer = await work.catch((error: unknown) => {
      assert.ok(error instanceof CallError, String(error));
      return { error };
    });
    answers[question] = withoutIds(answer);
  };
  for (const name of [...names, "box/lisst", "nowhere/post", "list", ""]) {
    await ask(`call ${name}`, dispatch.invoke({ operation: name, input: { surplus: 1 } }, root));
    await ask(`call well ${name}`, dispatch.invoke({ operation: name }, root));
    await ask(
      `subscribe ${name}`,
      dispatch.invokeStreaming({ operation: name }, root).then((items) => items.next()),
    );
    await ask(`schema ${name}`, dispatch.invoke({ operation: "services/schema", input: { name } }, root));
  }
  const entrance = await gateway.enter(caller.authenticated ? "any" : undefined);
  await ask(
    `batch ${names.slice(0, 4).join(" ")}`,
    entrance.batch(
      names.slice(0, 4).map((operation) => ({ operation })),
      { connection: "mine" },
    ),
  );
  for (const input of [{}, { full: true }, { limit: 2 }, { namespace: "box" }]) {
    await ask(`list ${JSON.stringify(input)}`, dispatch.invoke({ operation: "services/list", input }, root));
  }
  for (const input of [
    {},
    { namespace: "box" },
    { namespace: "box", limit: 1 },
    { namespace: "fox", type: "query" },
    { namespace: "nowhere" },
    { query: "common" },
    { query: ["box", "common"] },
    { query: "common", limit: 1 },
  ]) {
    await ask(
      `search ${JSON.stringify(input)}`,
      dispatch.invoke({ operation: "services/search", input }, root),
    );
  }
  return answers;
}

/** What is shown is exactly what may be seen: the counts cannot tell more. */
function assertCounts(answers: Record<string, string>, visible: readonly string[]): void {
  const sorted = [...visible].sort();
  const list = JSON.parse(answers["list {}"] ?? "{}") as { operations: { name: string }[] };
  assert.deepEqual(list.operations.map(({ name }) => name).filter(isOurs), sorted);
  const search = JSON.parse(answers['search {"query":"common"}'] ?? "{}") as { total: number };
  assert.equal(search.total, visible.length);
  const map = JSON.parse(answers["search {}"] ?? "{}") as {
    namespaces: { name: string; operations: number }[];
  };
  const counted = map.namespaces.filter(({ name }) => name !== "services");
  assert.equal(
    counted.reduce((sum, { operations }) => sum + operations, 0),
    visible.length,
  );
}

/** The rule in other words than the product's, to hold the product against. */
function sightOf(plan: Plan, policy: AccessPolicy, caller: Identity): "open" | "forbidden" | "absent" {
  const names = plan.alias ? [nameOf(plan), aliasOf(plan)] : [nameOf(plan)];
  const denied = names.some((name) =>
    policy.deny.some((pattern) => new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name)),
  );
  if (denied || plan.internal || plan.connection === "theirs") return "absent";
  const needsIdentity =
    plan.authenticated || !policy.anonymous || (plan.imported && policy.identitiesConfigured && !plan.public);
  const has = (scope: string) => caller.scopes.includes(scope);
  const theirs = { cup: caller.authenticated, jug: caller.id === "owner", jar: false };
  const allowed =
    (!needsIdentity || caller.authenticated) &&
    (!plan.resource || theirs[plan.resource]) &&
    plan.scopes.filter(has).length === plan.scopes.length &&
    (!plan.anyScope || plan.anyScope.filter(has).length > 0);
  if (allowed) return "open";
  return policy.hideForbidden ? "absent" : "forbidden";
}

function runtimeOf(plans: readonly Plan[], policy: AccessPolicy, caller: Identity): Runtime {
  const sources = [undefined, "mine", "theirs"].map((connection) => ({
    source: { name: connection ?? "shared", ...(connection && { connection }) },
    registrations: plans.filter((plan) => plan.connection === connection).map(registrationOf),
    ...(!connection && { ownership: OWNERSHIP }),
  }));
  return createRuntime({ sources, policy, resolveIdentity: async () => caller });
}

function registrationOf(plan: Plan): Registration {
  const shared = {
    name: nameOf(plan),
    ...(plan.alias && { aliases: [aliasOf(plan)] }),
    description: `common ${markOf(plan)}`,
    visibility: plan.internal ? ("internal" as const) : ("external" as const),
    access: {
      authenticated: plan.authenticated,
      scopes: plan.scopes,
      ...(plan.anyScope && { anyScope: plan.anyScope }),
      ...(plan.resource && { resource: { type: plan.resource, action: "use", idPath: "/id" } }),
    },
  };
  const registration = plan.stream
    ? defineOperation({
        ...shared,
        type: "subscription",
        async *handler() {
          yield "item";
        },
      })
    : defineOperation({ ...shared, type: "query", handler: (_input, context) => composeAll(plan, context) });
  const composing = plan.composesAll && !plan.imported;
  return {
    ...registration,
    provenance: plan.imported ? "from-call" : "local",
    ...(plan.public && { public: true }),
    ...(composing && { scopedEnv: ["*"], authority: { scopes: ["red"] } }),
  };
}

/** Reaches for what the caller must not see, and lets the failure out. */
async function composeAll(plan: Plan, { env, internal }: OperationContext): Promise<string> {
  if (plan.composesAll && !plan.imported && !internal) await env.invoke("box/list", { surplus: 1 });
  return "answer";
}

function nameOf({ namespace, word }: Pick<Plan, "namespace" | "word">): string {
  return `${namespace}/${word}`;
}

function aliasOf(plan: Plan): string {
  return `old/${plan.namespace}-${plan.word}`;
}

function markOf(plan: Plan): string {
  return `mark-${plan.namespace}-${plan.word}-end`;
}

function isOurs(name: string): boolean {
  return !name.startsWith("services/");
}

function quotes(answer: string, name: string): boolean {
  return new RegExp(`(?<![\\w/])${name}(?![\\w])`).test(answer);
}

function withoutIds(answer: unknown): string {
  return JSON.stringify(answer).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
}
