import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { decodeJwt } from "jose";
import { AuthorizationServer, CALLBACK, DESK, PERSON } from "../support/authorization-server.ts";
import { browse } from "../support/browser.ts";
import { freePort } from "../support/free-port.ts";
import { getJson, postJson } from "../support/http-wire.ts";
import { issuerConfig, startIdentityGateway } from "../support/identity-gateway.ts";

type Stored = Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
type Discovered = Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>;
type Registered = Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;

/** A client that signs in by itself: the official SDK with its OAuth, and a browser that a person agrees in. */
class SigningInClient implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: "A client of the tests",
    application_type: "native",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  /** The pages that a person was sent to. */
  readonly visits: URL[] = [];
  #registered: Registered;
  #tokens: Stored;
  #verifier = "";
  #discovered: Discovered;

  /** Registers itself at the server, unless it is registered already with some issuer. */
  constructor(registered?: { readonly client_id: string; readonly issuer: string }) {
    this.#registered = registered;
  }

  clientInformation = (): Registered => this.#registered;
  saveClientInformation = (registered: NonNullable<Registered>): void => {
    this.#registered = registered;
  };
  tokens = (): Stored => this.#tokens;
  saveTokens = (tokens: NonNullable<Stored>): void => {
    this.#tokens = tokens;
  };
  redirectToAuthorization = (url: URL): void => {
    this.visits.push(url);
  };
  saveCodeVerifier = (verifier: string): void => {
    this.#verifier = verifier;
  };
  codeVerifier = (): string => this.#verifier;
  saveDiscoveryState = (discovered: NonNullable<Discovered>): void => {
    this.#discovered = discovered;
  };
  discoveryState = (): Discovered => this.#discovered;

  /** Connects, signing in on the way where the server wants it. */
  async connect(url: URL, mode: "auto" | "legacy" = "auto"): Promise<Client> {
    return this.signingIn(url, async () => {
      const client = new Client({ name: "sign-in", version: "0" }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(url, { authProvider: this }));
      return client;
    });
  }

  /** Does some work again after signing in, where it was refused for want of that. */
  async signingIn<Answer>(url: URL, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      const page = this.visits.at(-1);
      if (!(error instanceof UnauthorizedError) || !page) throw error;
      const transport = new StreamableHTTPClientTransport(url, { authProvider: this });
      await transport.finishAuth((await browse(page)).searchParams);
      return work();
    }
  }
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

describe("a client without a token", () => {
  let server: AuthorizationServer;
  before(async () => {
    server = await AuthorizationServer.start({ scopes: ["read", "write"] });
  });
  after(() => server.close());

  /** A gateway whose issuer knows it by its own address, as MCP clients ask for it. */
  async function start(t: TestContext, issuer: object = {}, rest: object = {}) {
    const port = await freePort();
    const audience = [`http://127.0.0.1:${port}/mcp`, `http://localhost:${port}/mcp`];
    const issuers = [issuerConfig(server, { audience, ...issuer })];
    const started = await startIdentityGateway(
      t,
      { access: { anonymous: false }, issuers, ...rest },
      { port },
    );
    return { ...started, mcpUrl: new URL("/mcp", started.gateway.url) };
  }

  for (const mode of ["auto", "legacy"] as const) {
    for (const host of ["127.0.0.1", "localhost"]) {
      test(`a client without a token signs in by itself at ${host} and calls a tool (SDK 2, ${mode})`, async (t) => {
        const { mcpUrl } = await start(t, { scopes: ["read"] });
        mcpUrl.hostname = host;
        const person = new SigningInClient();
        const client = await person.connect(mcpUrl, mode);
        t.after(() => client.close());
        assert.deepEqual(await call(client, "vault/whoami"), {
          output: { id: `idp:${PERSON}`, scopes: ["read"] },
        });
        assert.equal(person.visits.length, 1);
        const [page] = person.visits;
        assert.equal(page?.searchParams.get("resource"), mcpUrl.href);
        assert.equal(page?.searchParams.get("code_challenge_method"), "S256");
        assert.equal(decodeJwt(person.tokens()?.access_token ?? "").aud, mcpUrl.href);
      });
    }
  }

  test("a client without a token is sent back for more scopes when a call needs them and the operator announces them", async (t) => {
    for (const mode of ["auto", "legacy"] as const) {
      const { mcpUrl } = await start(t, { scopes: ["read"], furtherScopes: ["write"] });
      const person = new SigningInClient({ ...DESK, issuer: server.issuer });
      const client = await person.connect(mcpUrl, mode);
      t.after(() => client.close());
      assert.deepEqual(await call(client, "vault/read"), { output: "read" });
      const written = await person.signingIn(mcpUrl, () => call(client, "vault/write"));
      assert.deepEqual(written, { output: "written" }, mode);
      assert.equal(person.visits.length, 2);
      assert.deepEqual(scopesOf(person.visits[1]), ["read", "write"]);
    }
  });

  test("a client of an older revision without a token is sent back also where the record of the refusal is written first", async (t) => {
    const rest = { audit: { file: "audit.log", required: true } };
    const { mcpUrl } = await start(t, { scopes: ["read"], furtherScopes: ["write"] }, rest);
    const person = new SigningInClient({ ...DESK, issuer: server.issuer });
    const client = await person.connect(mcpUrl, "legacy");
    t.after(() => client.close());
    const written = await person.signingIn(mcpUrl, () => call(client, "vault/write"));
    assert.deepEqual([written, person.visits.length], [{ output: "written" }, 2]);
  });

  test("a client without a token hears of no scope that is not announced, and of none of a hidden operation", async (t) => {
    const { mcpUrl, call: callHttp } = await start(t, { scopes: ["read"] });
    const person = new SigningInClient();
    const client = await person.connect(mcpUrl);
    t.after(() => client.close());
    for (const operation of ["vault/write", "vault/secret"]) {
      const { error } = await call(client, operation);
      assert.equal(error?.code, "FORBIDDEN");
      const token = person.tokens()?.access_token;
      const { status, headers } = await callHttp(operation, token);
      assert.equal(status, 403);
      assert.equal(headers.get("www-authenticate"), 'Bearer realm="pinhole", error="insufficient_scope"');
    }

    const hidden = await start(
      t,
      { scopes: ["read"], furtherScopes: ["write", "unannounced"] },
      { access: { anonymous: false, hideForbidden: true } },
    );
    const other = new SigningInClient();
    const looking = await other.connect(hidden.mcpUrl);
    t.after(() => looking.close());
    const [secret, nothing] = [await call(looking, "vault/secret"), await call(looking, "vault/nothin")];
    assert.deepEqual([secret.error?.code, nothing.error?.code], ["NOT_FOUND", "NOT_FOUND"]);
    assert.equal(other.visits.length, 1);
  });

  test("a client without a token that may look around as anonymous is asked to sign in where a call needs an identity", async (t) => {
    const { mcpUrl } = await start(t, { scopes: ["read"] }, { access: { anonymous: true } });
    for (const mode of ["auto", "legacy"] as const) {
      const person = new SigningInClient();
      const client = await person.connect(mcpUrl, mode);
      t.after(() => client.close());
      assert.deepEqual([person.visits.length, (await client.listTools()).tools.length >= 4], [0, true]);
      const answer = await person.signingIn(mcpUrl, () => call(client, "vault/read"));
      assert.deepEqual([answer, person.visits.length], [{ output: "read" }, 1], mode);
    }
  });

  test("a client without a token is told where to get one, with no error where it presented none", async (t) => {
    const { gateway } = await start(t);
    for (const path of ["/mcp", "/call", "/search", "/openapi.json"]) {
      const response = await postJson(gateway.url + path, {});
      assert.equal(response.status, 401);
      const metadata = `${gateway.url}${WELL_KNOWN}${path}`;
      const challenge = response.headers.get("www-authenticate");
      assert.equal(challenge, `Bearer realm="pinhole", resource_metadata="${metadata}"`);
      const { resource, authorization_servers } = (await (await getJson(metadata)).json()) as Metadata;
      assert.deepEqual([resource, authorization_servers], [`${gateway.url}${path}`, [server.issuer]]);
    }
    const wrong = await postJson(`${gateway.url}/mcp`, {}, { token: "x" });
    assert.match(wrong.headers.get("www-authenticate") ?? "", /error="invalid_token".*resource_metadata=/);
  });

  test("a client without a token learns from the metadata only what is the same for all addresses", async (t) => {
    const { gateway } = await start(t, { scopes: ["read"] });
    const root = (await (await getJson(gateway.url + WELL_KNOWN)).json()) as Metadata;
    assert.deepEqual(root, {
      resource: gateway.url,
      resource_name: "Pinhole",
      authorization_servers: [server.issuer],
      scopes_supported: ["read"],
      bearer_methods_supported: ["header"],
    });
    const of = async (path: string) => (await getJson(gateway.url + WELL_KNOWN + path)).status;
    assert.deepEqual([await of("/mcp/one"), await of("/mcp/two"), await of("/mcp/a/b")], [200, 200, 404]);
    assert.deepEqual([await of("/elsewhere"), await of("/healthz"), await of("/")], [404, 404, 404]);
    assert.equal((await postJson(gateway.url + WELL_KNOWN, {})).status, 405);
  });
});

test("without an issuer there is no metadata, and a challenge names none", async (t) => {
  const { gateway } = await startIdentityGateway(t, { access: { anonymous: false } });
  assert.equal((await getJson(`${gateway.url}${WELL_KNOWN}/mcp`)).status, 404);
  const response = await postJson(`${gateway.url}/mcp`, {});
  assert.equal(response.headers.get("www-authenticate"), 'Bearer realm="pinhole"');
});

interface Metadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
}

async function call(client: Client, operation: string) {
  const { structuredContent } = await client.callTool({ name: "call", arguments: { operation } });
  return structuredContent as { readonly output?: unknown; readonly error?: { readonly code: string } };
}

/** What was asked for, without what the client adds by itself to be able to come back later. */
function scopesOf(page: URL | undefined): readonly string[] {
  const scopes = page?.searchParams.get("scope")?.split(" ") ?? [];
  return scopes.filter((scope) => scope !== "offline_access").sort();
}
