import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { completeSpec, type Registration } from "../../src/core/index.ts";
import { newToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { deferred } from "../support/deferred.ts";
import { postModern } from "../support/mcp-wire.ts";

const [ada, bob] = [newToken(), newToken()];
const ADA = { id: "ada", tokenHash: ada.tokenHash, scopes: ["tags"] };
const BOB = { id: "bob", tokenHash: bob.tokenHash };
const FACETS = { facets: { all: ["*"] }, mcp: { expose: ["core", "all"] } };

/** What comes in on a listening request, until it ends. */
async function listen(mcpUrl: URL, token: string) {
  const params = { notifications: { toolsListChanged: true } };
  const response = await postModern(mcpUrl, "subscriptions/listen", params, { token });
  assert.equal(response.status, 200);
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let said = (await reader.read()).value ?? "";
  assert.match(said, /acknowledged/);
  const ended = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) said += part.value;
    return said;
  })();
  const told = () => said.match(/list_changed"/g)?.length ?? 0;
  const heard = async () => {
    while (told() === 0) await new Promise(setImmediate);
  };
  return { ended, told, heard };
}

/** One more operation of a source of its own. */
function added(name: string, access: object = {}): Registration {
  return {
    spec: completeSpec({ name, type: "query", description: "Says hello.", visibility: "external", access }),
    handler: { kind: "once", run: () => null },
    provenance: "local",
  };
}

async function started(t: TestContext) {
  const gateway = await startConfig(t, { ...FACETS, identities: [ADA, BOB] });
  const bring = (...registrations: Registration[]) =>
    gateway.gateway.registry.apply({ replace: [{ source: { name: "late" }, registrations }] });
  return { ...gateway, bring };
}

describe("a client that listens for its list of tools", () => {
  test("a client that listens for its list of tools is let go by the reload that takes its token back, without another word", async (t) => {
    const { mcpUrl, reload } = await started(t);
    const [revoked, kept] = [await listen(mcpUrl, ada.token), await listen(mcpUrl, bob.token)];
    await reload({ ...FACETS, identities: [BOB], deny: ["notes/erase"] });
    assert.doesNotMatch(await revoked.ended, /list_changed/);
    await kept.heard();
  });

  test("a client that listens for its list of tools is let go when its token gives it less than before", async (t) => {
    const { mcpUrl, reload } = await started(t);
    const less = await listen(mcpUrl, ada.token);
    await reload({ ...FACETS, identities: [{ ...ADA, scopes: [] }, BOB] });
    await less.ended;
  });

  test("a client that listens for its list of tools is told where a reload gives it more", async (t) => {
    const { mcpUrl, reload } = await started(t);
    const more = await listen(mcpUrl, bob.token);
    await reload({ ...FACETS, identities: [ADA, { ...BOB, scopes: ["tags"] }] });
    await more.heard();
  });

  test("a client that listens for its list of tools hears only of what changes in its own list", async (t) => {
    const { mcpUrl, bring } = await started(t);
    const [tags, none] = [await listen(mcpUrl, ada.token), await listen(mcpUrl, bob.token)];
    const client = new Client({ name: "sdk", version: "0" }, { versionNegotiation: { mode: "auto" } });
    const heard = deferred<void>();
    client.setNotificationHandler("notifications/tools/list_changed", () => heard.resolve());
    const requestInit = { headers: { authorization: `Bearer ${ada.token}` } };
    await client.connect(new StreamableHTTPClientTransport(mcpUrl, { requestInit }));
    t.after(() => client.close());
    await client.listen({ toolsListChanged: true });

    bring(added("late/hidden", { scopes: ["nobody-has-it"] }));
    bring(added("late/tagged", { scopes: ["tags"] }));
    await Promise.all([heard.promise, tags.heard()]);
    assert.equal(tags.told(), 1);
    bring(added("late/hidden", { scopes: ["nobody-has-it"] }), added("late/open"));
    await none.heard();
    assert.equal(none.told(), 1, "of the three changes the last one alone was in its list");
  });
});
