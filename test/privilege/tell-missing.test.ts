import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type CallError, connectPeer } from "pinhole/client";
import {
  type AccessControl,
  type AccessPolicy,
  createRuntime,
  defineOperation,
  type Identity,
  type SourceSet,
} from "pinhole/core";
import { startCallNode } from "../support/call-node.ts";
import { postJson } from "../support/http-wire.ts";
import { answerOf, modernBody, modernHeaders, resultOf } from "../support/mcp-wire.ts";
import { serveRuntime } from "../support/serve.ts";

const ANN: Identity = {
  id: "ann",
  authenticated: true,
  scopes: ["read"],
  resources: { "project:1": ["close"] },
};
const TELL = { tellMissingScopes: true };

/** Operations that ask for more than the caller has. */
const ACCESS = {
  scopes: { scopes: ["read", "write", "audit"] },
  any: { anyScope: ["admin", "owner"] },
  type: { resource: { type: "team", action: "close", idPath: "/id" } },
  one: { resource: { type: "project", action: "close", idPath: "/id" } },
  many: { resource: { type: "project", action: "read", list: { argument: "ids" } } },
} as const satisfies Record<string, AccessControl>;

function sources(): readonly SourceSet[] {
  const registrations = Object.entries(ACCESS).map(([name, access]) =>
    defineOperation({
      name: `demo/${name}`,
      type: "mutation",
      description: "For a test.",
      access,
      inputSchema: {
        type: "object",
        properties: { id: { type: "string" }, ids: { type: "array", items: { type: "string" } } },
      },
      handler: () => "done",
    }),
  );
  return [{ source: { name: "demo" }, registrations }];
}

async function refusalsOf(
  policy: Partial<AccessPolicy>,
  identity = ANN,
): Promise<Record<string, { code: string; message: string; details?: unknown }>> {
  const { dispatch } = createRuntime({ sources: sources(), policy });
  const refusals = Object.keys(ACCESS).map(async (name) => {
    const call = { operation: `demo/${name}`, input: { id: "2" } };
    const error = await dispatch.invoke(call, { identity }).then(
      () => assert.fail(name),
      (thrown: CallError) => thrown.toJSON(),
    );
    return [name, error] as const;
  });
  return Object.fromEntries(await Promise.all(refusals));
}

test("a refusal says what is missing, where the operator allows that", async () => {
  const told = await refusalsOf(TELL);
  const details = Object.fromEntries(Object.entries(told).map(([name, { details }]) => [name, details]));
  assert.deepEqual(details, {
    scopes: { missing: { scopes: ["write", "audit"] } },
    any: { missing: { anyScope: ["admin", "owner"] } },
    type: { missing: { resource: "team", action: "close" } },
    one: { missing: { resource: "project:2", action: "close" } },
    many: { missing: { resource: "project", action: "read" } },
  });
  assert.match(
    told.scopes?.message ?? "",
    /not allowed for "ann", who lacks the scopes write and audit\. Ask/,
  );
  assert.match(told.any?.message ?? "", /who lacks one of the scopes admin or owner\. Ask/);
  assert.match(told.type?.message ?? "", /who lacks the right to close a team\. Ask/);
  assert.match(told.one?.message ?? "", /who lacks the right to close project:2\. /);
  for (const error of Object.values(told)) assert.equal(error.code, "FORBIDDEN");
});

test("otherwise it does not: by default, where what is forbidden is hidden, without an identity, and under another refusal", async () => {
  const cases: [Partial<AccessPolicy>, Identity?][] = [
    [{}],
    [{ hideForbidden: true, ...TELL }],
    [TELL, { id: "anonymous", authenticated: false, scopes: [] }],
    [TELL, { ...ANN, mutations: "deny" }],
  ];
  for (const [policy, identity] of cases) {
    const untold = JSON.stringify(await refusalsOf(policy, identity));
    assert.doesNotMatch(untold, /missing|lacks|audit|admin|project:2/, JSON.stringify([policy, identity]));
  }
});

/** The refusals of an operation over each wire. */
const WIRES: Readonly<Record<string, (t: TestContext, operation: string) => Promise<unknown>>> = {
  async HTTP(t, operation) {
    const server = await serveRuntime({ sources: sources(), policy: TELL, resolveIdentity: async () => ANN });
    t.after(() => server.close(0));
    const call = { operation, input: { id: "2" } };
    const response = await postJson(`${server.url}/call`, call, { token: "any" });
    return ((await response.json()) as { readonly error: unknown }).error;
  },
  MCP: (t, operation) =>
    overMcp(t, operation, (params) => ({
      headers: modernHeaders("tools/call", "call"),
      body: modernBody("tools/call", params),
    })),
  "MCP of 2025": (t, operation) =>
    overMcp(t, operation, (params) => ({
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    })),
  async "the call protocol"(t, operation) {
    const node = await startCallNode({ sources: sources(), policy: TELL, resolveIdentity: async () => ANN });
    t.after(() => node.close());
    const peer = await connectPeer(node.url, { token: "any" });
    t.after(() => peer.close());
    return peer.call(operation, { id: "2" }).catch((error: CallError) => error.toJSON());
  },
};

async function overMcp(
  t: TestContext,
  operation: string,
  write: (params: object) => { readonly headers: Record<string, string>; readonly body: object },
): Promise<unknown> {
  const server = await serveRuntime({ sources: sources(), policy: TELL, resolveIdentity: async () => ANN });
  t.after(() => server.close(0));
  const { headers, body } = write({ name: "call", arguments: { operation, input: { id: "2" } } });
  const response = await fetch(server.mcpUrl, {
    method: "POST",
    headers: { ...headers, authorization: "Bearer any" },
    body: JSON.stringify(body),
  });
  const { structuredContent } = resultOf(await answerOf(response));
  return (structuredContent as { readonly error: unknown }).error;
}

for (const [wire, refusal] of Object.entries(WIRES)) {
  test(`what is missing is told over ${wire} as in process`, async (t) => {
    const told = await refusalsOf(TELL);
    for (const name of ["scopes", "one"]) assert.deepEqual(await refusal(t, `demo/${name}`), told[name]);
  });
}
