import assert from "node:assert/strict";
import { test } from "node:test";
import { HTTP_PATHS } from "../../src/projections/to-openapi/index.ts";
import { getJson, postJson } from "../support/http-wire.ts";
import { answerRequests, IN_PROCESS, serveRuntime } from "../support/serve.ts";
import { CALLERS, PRIVILEGE_CASES } from "./cases.ts";
import { INPUT, sourcesOf } from "./door.ts";
import { runPrivilegeSuite } from "./suite.ts";

interface Answer {
  readonly output?: unknown;
  readonly error?: { readonly code: string };
  readonly results?: readonly Answer[];
  readonly operations?: readonly { readonly name: string }[];
  readonly nearest?: Readonly<Record<string, readonly string[]>>;
}

/** The statuses that go with the codes; a stream and an answer both begin with 200. */
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  ok: [200],
  NOT_FOUND: [404],
  FORBIDDEN: [401, 403],
  INVALID_OPERATION_TYPE: [400],
};

runPrivilegeSuite("over plain HTTP", async ({ sources, presets, policy = {}, caller }) => {
  // The door stays open, so that the table is held against what stands behind it.
  const fetch = answerRequests({
    sources,
    presets,
    policy,
    resolveIdentity: async () => caller,
    door: "open",
  });
  const options = { fetch, ...(caller.authenticated && { token: "any" }) };

  const send = (path: string, body: object) => postJson(IN_PROCESS + path, body, options);
  const namesAt = async (path: string): Promise<readonly string[]> => {
    const response = await getJson(IN_PROCESS + path, options);
    return namesIn(await response.json());
  };
  const outcome = async (response: Response): Promise<string> => {
    const streams = response.headers.get("content-type") === "text/event-stream";
    const text = await response.text();
    const code = streams ? "ok" : codeOf(JSON.parse(text) as Answer);
    assert.ok(STATUSES[code]?.includes(response.status), `${code} with ${response.status}`);
    return code;
  };

  return {
    call: async (operation) => outcome(await send("/call", { operation, input: INPUT })),
    subscribe: async (operation) => outcome(await send("/subscribe", { operation, input: INPUT })),
    batch: async (operations) => {
      const response = await send("/batch", {
        calls: operations.map((operation) => ({ operation, input: INPUT })),
      });
      assert.equal(response.status, 200);
      return ((await response.json()) as Answer).results?.map(codeOf) ?? [];
    },
    list: async () => {
      const response = await send("/call", { operation: "services/list" });
      return namesIn(((await response.json()) as Answer).output);
    },
    search: (query) => namesAt(`/search?query=${encodeURIComponent(query)}`),
    browse: (namespace) => namesAt(`/search?namespace=${namespace}`),
    nearest: async (name) => {
      const response = await getJson(`${IN_PROCESS}/schema?name=${name}`, options);
      return ((await response.json()) as Answer).nearest?.[name] ?? [];
    },
    schema: (name) => namesAt(`/schema?name=${encodeURIComponent(name)}`),
    compose: async (operation) => {
      const response = await send("/call", { operation });
      return String(((await response.json()) as Answer).output);
    },
  };
});

test("what must not be seen answers with equal bytes, whether it is internal, denied or not there", async (t) => {
  const texts = new Set<string>();
  const hidden = PRIVILEGE_CASES.filter(({ direct }) => direct.scoped === "NOT_FOUND");
  const settings = hidden.map((given) => ({ sources: sourcesOf(given), policy: given.policy ?? {} }));
  assert.ok(settings.length > 4);
  for (const setting of [{ sources: [], policy: {} }, ...settings]) {
    const server = await serveRuntime({ ...setting, resolveIdentity: async () => CALLERS.scoped });
    t.after(() => server.close(0));
    for (const path of ["/call", "/subscribe"]) {
      const response = await postJson(server.url + path, { operation: "target/one" }, { token: "any" });
      const { requestId, ...rest } = (await response.json()) as { requestId: string };
      assert.equal(typeof requestId, "string");
      texts.add(JSON.stringify([response.status, [...response.headers.keys()].sort(), rest]));
    }
  }
  assert.equal(texts.size, 1, [...texts].join("\n"));
});

test("where nobody is anonymous, all addresses turn those without a token away alike", async (t) => {
  const server = await serveRuntime({ policy: { anonymous: false } });
  t.after(() => server.close(0));
  const texts = new Set<string>();
  for (const path of HTTP_PATHS) {
    for (const response of [await getJson(server.url + path), await postJson(server.url + path, {})]) {
      assert.equal(response.status, 401, path);
      assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer /);
      texts.add(await response.text());
    }
  }
  assert.equal(texts.size, 1);
  assert.equal((await getJson(`${server.url}/healthz`)).status, 200);
});

function codeOf({ error }: Answer): string {
  return error?.code ?? "ok";
}

function namesIn(answer: unknown): readonly string[] {
  return (answer as Answer).operations?.map(({ name }) => name) ?? [];
}
