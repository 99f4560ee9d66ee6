import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizationServer } from "./authorization-server.ts";
import { clientFor } from "./client-for.ts";

const METADATA = {
  issuer: "https://login.test",
  authorization_endpoint: "https://login.test/authorize",
  token_endpoint: "https://login.test/token",
  registration_endpoint: "https://login.test/register",
  response_types_supported: ["code"],
};

/** Asks for a client at a server that says this about itself and answers registrations so. */
async function ask(
  metadata: object,
  { client = undefined as { clientId: string } | undefined, answer = {}, status = 201 } = {},
) {
  const registrations: Record<string, unknown>[] = [];
  const outbound = {
    fetch: async (_: string | URL, init: RequestInit = {}) => {
      registrations.push(JSON.parse(String(init.body)));
      return Response.json({ client_id: "registered", ...answer }, { status });
    },
  };
  const server = { metadata: { ...METADATA, ...metadata } } as unknown as AuthorizationServer;
  const redirectUrl = "http://127.0.0.1:4711/callback";
  const found = await clientFor(server, { name: "up", outbound, client, redirectUrl, scopes: ["read"] });
  return { found, registrations };
}

test("a client that is configured is used as it is", async () => {
  const client = { clientId: "configured" };
  const { found, registrations } = await ask({}, { client });
  assert.equal(found, client);
  assert.deepEqual(registrations, []);
});

test("one that describes itself at an address registers where that is not looked at", async () => {
  const client = { clientId: "https://example.test/client.json" };
  assert.equal((await ask({ client_id_metadata_document_supported: true }, { client })).found, client);
  assert.equal((await ask({}, { client })).found.clientId, "registered");
});

test("one that registers says where it is, and proves itself as the server can take it", async () => {
  const methods = ["client_secret_post", "client_secret_basic"];
  const answer = { client_secret: "secret", token_endpoint_auth_method: "client_secret_basic" };
  const { found, registrations } = await ask({ token_endpoint_auth_methods_supported: methods }, { answer });
  assert.deepEqual(found, { clientId: "registered", clientSecret: "secret", method: "client_secret_basic" });
  assert.deepEqual(registrations, [
    {
      client_name: "Pinhole",
      application_type: "native",
      redirect_uris: ["http://127.0.0.1:4711/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "client_secret_basic",
      scope: "read",
    },
  ]);
  const [{ token_endpoint_auth_method } = {}] = (await ask({})).registrations;
  assert.equal(token_endpoint_auth_method, "none");
});

test("where none can be had the operator is told to register one", async () => {
  await assert.rejects(
    ask({ registration_endpoint: undefined }),
    /Register one there, with http:\/\/127\.0\.0\.1\/callback as its address on this machine, and set sources\.up\.oauth\.clientId/,
  );
  for (const refusal of [{ status: 403 }, { answer: { client_id: 7 } }])
    await assert.rejects(
      ask({}, refusal),
      /did not register this client \(HTTP \d+\).*sources\.up\.oauth\.clientId/,
    );
});
