import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { generate, HttpClient } from "openapi-typescript-codegen";
import { CallError, defineOperation, definePlugin, type Identity } from "pinhole/core";
import { DEMO } from "../../src/demo/index.ts";
import { serveRuntime } from "../support/serve.ts";

const ROOT = join(import.meta.dirname, "../..");
const TOKEN = "a-token";
const ADA: Identity = { id: "ada", authenticated: true, scopes: [] };

const SHOP = definePlugin({
  name: "shop",
  operations: [
    defineOperation({
      name: "shop/buy",
      type: "mutation",
      description: "Buys something for whoever calls.",
      access: { authenticated: true },
      inputSchema: { type: "object", properties: { price: { type: "number" } }, required: ["price"] },
      errors: [{ code: "NO_MONEY", description: "The account is empty.", httpStatus: 402 }],
      handler({ price }, { principal }) {
        if (price > 10) throw new CallError("NO_MONEY", "The account is empty; buy less.");
        return { buyer: principal.id };
      },
    }),
  ],
});

/**
 * A program that someone writes against the generated client. It is compiled strictly: each annotation below fails the
 * build if the document gives the generator less to go by.
 */
const PROGRAM = `
import { ApiError, PinholeClient, type CallAnswer, type CallError, type Failure, type Hit, type SearchAnswer } from "./index";

export interface Failed { readonly status: number; readonly error: CallError }

async function failing(work: PromiseLike<unknown>): Promise<Failed> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { error: failure }: Failure = error.body;
    return { status: error.status, error: failure };
  }
  throw new Error("It did not fail.");
}

export async function run(BASE: string, TOKEN?: string) {
  const client = new PinholeClient({ BASE, TOKEN });
  const found: SearchAnswer = await client.find.search({ query: ["count words"], limit: 3 });
  const hits: Hit[] = found.operations ?? [];
  const byBody: SearchAnswer = await client.find.searchByBody({ requestBody: { query: ["count words", "buy"] } });
  const described = await client.find.schema({ name: ["text/stats", "time/now", "no/such"] });
  const missing: string[] = described.missing ?? [];
  const requestBody = { operation: "text/stats", input: { text: "a b" }, select: "words" };
  const called: CallAnswer = await client.run.call({ requestBody });
  const batch = await client.run.batch({ requestBody: { calls: [requestBody, { operation: "no/such" }] } });
  const codes: (string | undefined)[] = batch.results.map(({ error }) => error?.code);
  const events: string = await client.run.subscribe({ requestBody: { operation: "time/countdown", input: { from: 0 } } });
  const health: "ok" = (await client.default.health()).status as "ok";
  const buy = (price: number) => client.run.call({ requestBody: { operation: "shop/buy", input: { price } } });
  return {
    names: hits.map(({ name, type }) => name + " " + type),
    groups: byBody.groups?.length,
    described: described.operations.length,
    missing,
    words: called.output,
    requestId: called.requestId,
    codes,
    events,
    health,
    bought: TOKEN === undefined ? await failing(buy(1)) : (await buy(1)).output,
    declared: TOKEN === undefined ? undefined : await failing(buy(100)),
    unknown: await failing(client.run.call({ requestBody: { operation: "text/stat" } })),
    wrong: await failing(client.run.call({ requestBody: { operation: "text/stats", input: { txt: 1 } } })),
  };
}
`;

interface Outcome extends Readonly<Record<string, unknown>> {
  readonly requestId: string;
  readonly events: string;
}

describe("a client that a generator makes from the document of a running gateway", () => {
  let server: Awaited<ReturnType<typeof serveRuntime>>;
  let run: (base: string, token?: string) => Promise<Outcome>;
  const folder = mkdtempSync(join(tmpdir(), "pinhole-client-"));

  before(async () => {
    server = await serveRuntime({
      sources: [...DEMO, SHOP],
      resolveIdentity: async (token) => (token === TOKEN ? ADA : undefined),
    });
    const source = join(folder, "source");
    await generate({
      input: (await (await fetch(`${server.url}/openapi.json`)).json()) as Record<string, unknown>,
      output: source,
      clientName: "PinholeClient",
      httpClient: HttpClient.FETCH,
      useOptions: true,
    });
    writeFileSync(join(source, "program.ts"), PROGRAM);
    compile(join(source, "program.ts"), join(folder, "out"));
    ({ run } = createRequire(import.meta.url)(join(folder, "out/program.js")) as { run: typeof run });
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await server.close(0);
  });

  /** What it is in every case, whoever calls. */
  async function outcomeOf(token?: string) {
    const { requestId, events, names, unknown, wrong, ...rest } = await run(server.url, token);
    assert.match(requestId, /^[0-9a-f-]{36}$/);
    assert.equal(events, "data: 0\n\nevent: end\ndata: [DONE]\n\n");
    assert.equal((names as string[])[0], "text/stats query");
    assert.partialDeepStrictEqual(unknown, { status: 404, error: { code: "NOT_FOUND", retryable: false } });
    assert.partialDeepStrictEqual(wrong, { status: 422, error: { code: "INVALID_INPUT" } });
    const same = { groups: 2, described: 2, missing: ["no/such"], words: 2, health: "ok" };
    assert.partialDeepStrictEqual(rest, { ...same, codes: [undefined, "NOT_FOUND"] });
    return rest;
  }

  test("a client that a generator makes from the document of a running gateway finds, describes, calls, batches and streams, and knows what can go wrong", async () => {
    const { bought, declared } = await outcomeOf(TOKEN);
    assert.deepEqual(bought, { buyer: "ada" });
    assert.partialDeepStrictEqual(declared, { status: 402, error: { code: "NO_MONEY" } });
  });

  test("a client that a generator makes from the document of a running gateway is told by a 401 where it has no token", async () => {
    const { bought } = await outcomeOf();
    assert.partialDeepStrictEqual(bought, { status: 401, error: { code: "FORBIDDEN" } });
  });
});

/** Generated clients are written for bundlers and CommonJS: their imports have no endings. */
function compile(file: string, outDir: string): void {
  const options = [
    ["--outDir", outDir],
    ["--module", "commonjs", "--moduleResolution", "bundler", "--target", "es2022", "--strict"],
    ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types"), "--skipLibCheck", "--ignoreConfig"],
  ].flat();
  try {
    execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), ...options, file], {
      encoding: "utf8",
    });
  } catch (error) {
    assert.fail(`The generated client does not compile:\n${(error as { stdout?: string }).stdout}`);
  }
}
