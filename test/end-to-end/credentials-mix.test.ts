import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { hashToken } from "../../src/identity/index.ts";
import {
  type CredentialUpstream,
  fingerprintOf,
  serveApiEcho,
  serveModernEcho,
  serveSessionEcho,
} from "../support/credential-upstreams.ts";
import { postJson } from "../support/http-wire.ts";
import { startIdentityGateway } from "../support/identity-gateway.ts";
import { answerOf, postModern, resultOf } from "../support/mcp-wire.ts";
import { scaled } from "../support/scale.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;
const PEOPLE = ["ada", "ben"] as const;
const ROUNDS = scaled(2, 9);
/** How many batches each of them has under way. */
const LANES = 3;
/** All calls of a test run at the same time, on a machine that may be busy. */
const PATIENCE_MS = 120_000;

/** Compositions of the upstream's operation, one after the other and at once, one of them two levels deep. */
const PLUGIN = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
const authority = { scopes: ["up"] };
const inputSchema = { type: "object", properties: { n: { type: "integer" } } };
const chain = defineOperation({ name: "mixed/chain", type: "mutation", description: "Asks thrice.", inputSchema, authority,
  composes: ["up/whoami"],
  handler: async ({ n }, { env }) => {
    const first = await env.invoke("up/whoami", { n });
    const rest = await Promise.all([env.invoke("up/whoami", { n }), env.invoke("up/whoami", { n })]);
    return [first, ...rest];
  } });
const nested = defineOperation({ name: "mixed/nested", type: "mutation", description: "Asks through another.", inputSchema,
  authority, composes: ["mixed/chain"], handler: ({ n }, { env }) => env.invoke("mixed/chain", { n }) });
export default definePlugin({ name: "mixed", operations: [chain, nested] });`;

const KINDS: readonly [string, string, () => Promise<CredentialUpstream>][] = [
  ["an MCP server of 2026-07-28", "mcp", serveModernEcho],
  ["an MCP server with sessions", "mcp", serveSessionEcho],
  ["an API with bearer tokens", "openapi", () => serveApiEcho({ type: "http", scheme: "bearer" })],
  ["an API with keys", "openapi", () => serveApiEcho({ type: "apiKey", in: "header", name: "X-Api-Key" })],
];

describe("the calls of two principals never mix their credentials", () => {
  for (const [what, kind, serve] of KINDS) {
    test(`the calls of two principals never mix their credentials at ${what}`, async (t) => {
      const upstream = await serve();
      t.after(() => upstream.close());
      const gateway = await start(t, { [kind]: upstream.url.href });

      const seen = await Promise.all(
        PEOPLE.map(async (who) => {
          const lanes = Array.from({ length: LANES }, (_, lane) => gateway.rounds(who, lane));
          const answers = await Promise.all(lanes);
          return { who, credentials: answers.flat() };
        }),
      );

      for (const { who, credentials } of seen) {
        assert.equal(credentials.length, ROUNDS * CALLS_IN_A_BATCH);
        assert.deepEqual([...new Set(credentials)], [fingerprintOf(`secret-of-${who}`)]);
      }
      assert.deepEqual(upstream.crossed, []);
      const counts = PEOPLE.map((who) => upstream.called.filter((by) => by === `secret-of-${who}`).length);
      assert.deepEqual(counts, [ROUNDS * CALLS_IN_A_BATCH, ROUNDS * CALLS_IN_A_BATCH]);
      assert.deepEqual([...upstream.discoveredBy], [kind === "mcp" ? "secret-of-discovery" : "nobody"]);
      assert.ok(isInterleaved(upstream.called), "the calls of both ran at the same time");
    });
  }
});

/** 16 calls of the operation itself, 17 of each composition, each of which makes three. */
const CALLS_IN_A_BATCH = 16 + 17 * 3 * 2;

function callsOf(round: number): readonly object[] {
  const operations = ["up/whoami", "mixed/chain", "mixed/nested"];
  return Array.from({ length: 50 }, (_, index) => ({
    operation: operations[(index + 1) % 3],
    input: { n: round * 100 + index },
  }));
}

interface Result {
  readonly output?: unknown;
  readonly error?: unknown;
}

/** The credentials that the results of a batch tell of; each result must be that of its own call. */
function credentialsIn(results: readonly Result[], round: number): readonly string[] {
  return results.flatMap(({ output, error }, index) => {
    assert.equal(error, undefined, JSON.stringify(error));
    return [output].flat().map((told) => {
      const { credential, n } = told as { readonly credential: string; readonly n: number };
      assert.equal(n, round * 100 + index);
      return credential;
    });
  });
}

function isInterleaved(called: readonly string[]): boolean {
  return called.filter((by, index) => by !== called[index - 1]).length > 100;
}

async function start(t: TestContext, source: object) {
  const { gateway, logged } = await startIdentityGateway(
    t,
    {
      identities: PEOPLE.map((id) => ({ id, tokenHash: hashToken(`token-of-${id}`), scopes: ["up"] })),
      limits: { deadlineMs: PATIENCE_MS },
      sources: {
        mixed: { plugin: "./mixed.ts" },
        up: {
          ...source,
          timeoutMs: PATIENCE_MS,
          allowPrivate: true,
          external: "*",
          scopes: ["up"],
          credentials: {
            perIdentity: Object.fromEntries(PEOPLE.map((id) => [id, { file: `./${id}.secret` }])),
            discovery: { file: "./discovery.secret" },
          },
        },
      },
    },
    {
      files: {
        "mixed.ts": PLUGIN,
        ...Object.fromEntries([...PEOPLE, "discovery"].map((id) => [`${id}.secret`, `secret-of-${id}\n`])),
      },
    },
  );
  t.after(() => assert.doesNotMatch(logged(), /secret-of/));

  async function batch(who: string, round: number): Promise<readonly string[]> {
    const options = { token: `token-of-${who}` };
    const response = await postJson(`${gateway.url}/batch`, { calls: callsOf(round) }, options);
    const { results } = (await response.json()) as { readonly results: readonly Result[] };
    return credentialsIn(results, round);
  }

  async function batchOverMcp(who: string, round: number): Promise<readonly string[]> {
    const params = { name: "batch", arguments: { calls: callsOf(round) } };
    const url = new URL("/mcp", gateway.url);
    const response = await postModern(url, "tools/call", params, { token: `token-of-${who}` });
    const { structuredContent } = resultOf(await answerOf(response)) as {
      structuredContent: { results: readonly Result[] };
    };
    return credentialsIn(structuredContent.results, round);
  }

  return {
    /** Every third round, over one wire or the other. */
    async rounds(who: string, lane: number): Promise<readonly string[]> {
      const credentials: string[] = [];
      for (let round = lane; round < ROUNDS; round += LANES) {
        const answers = await (round % 2 === 0 ? batch(who, round) : batchOverMcp(who, round));
        credentials.push(...answers);
      }
      return credentials;
    },
  };
}
