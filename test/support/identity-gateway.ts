import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { stringify } from "yaml";
import { type Gateway, startGateway } from "../../src/gateway/gateway.ts";
import { createLog } from "../../src/observe/log.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { SAID } from "./config-gateway.ts";
import { postJson } from "./http-wire.ts";

/** Whom the tokens of these tests are meant for, where the address of the gateway does not matter. */
export const AUDIENCE = "https://tools.example.test";

const CORE = new URL("../../src/core.ts", import.meta.url).href;
const PLUGIN = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
const whoami = defineOperation({ name: "vault/whoami", type: "query", description: "Tells who calls.",
  access: { authenticated: true },
  handler: (_, { principal, trace }) => ({ id: principal.id, scopes: principal.scopes, ...(trace && { trace }) }) });
const read = defineOperation({ name: "vault/read", type: "query", description: "Reads.",
  access: { scopes: ["read"] }, handler: () => "read" });
const write = defineOperation({ name: "vault/write", type: "mutation", description: "Writes.",
  access: { scopes: ["read", "write"] }, handler: () => "written" });
const secret = defineOperation({ name: "vault/secret", type: "query", description: "Keeps a secret.",
  access: { scopes: ["unannounced"] }, handler: () => "secret" });
const wait = defineOperation({ name: "vault/wait", type: "query", description: "Waits until nobody does.",
  handler: (_, { signal }) => new Promise((resolve) => {
    globalThis.pinholeTestWaiting?.(signal);
    signal.addEventListener("abort", () => resolve("aborted"));
  }) });
const gate = defineOperation({ name: "vault/gate", type: "query", description: "Answers once it may.",
  handler: async (_, { signal }) => {
    globalThis.pinholeTestWaiting?.(signal);
    await globalThis.pinholeTestGate;
    return "through";
  } });
const count = defineOperation({ name: "vault/count", type: "subscription", description: "Counts.",
  async *handler(_, { signal }) {
    for (let n = 1; !signal.aborted; n++) { yield n; if (n >= 3) await new Promise((resolve) => {
      globalThis.pinholeTestWaiting?.(signal);
      signal.addEventListener("abort", resolve);
    }); }
  } });
export default definePlugin({ name: "x", operations: [whoami, read, write, secret, wait, gate, count] });`;

/** A gateway with a few operations; some need scopes. */
export interface IdentityGateway {
  readonly gateway: Gateway;
  readonly directory: string;
  logged(): string;
  /** Calls an operation over plain HTTP. */
  call(operation: string, token?: string): Promise<CallAnswer>;
  write(config: object): Promise<void>;
}

/** What came back from a call. */
export interface CallAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Starts a gateway by a config; what the config does not say is as usual. */
export async function startIdentityGateway(
  t: TestContext,
  config: object,
  { port = 0, watch = false, files = {} as Readonly<Record<string, string>> } = {},
): Promise<IdentityGateway> {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-identity-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const write = (next: object) =>
    writeFile(
      join(directory, "pinhole.yaml"),
      stringify({
        ...SAID,
        sources: { vault: { plugin: "./vault.ts", public: true } },
        ...next,
      }),
    );
  await writeFile(join(directory, "vault.ts"), PLUGIN);
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  await write(config);
  const lines: string[] = [];
  const log = createLog("info", (line) => lines.push(line));
  const gateway = await startGateway({ directory, log, watch, flags: { port: String(port) } });
  t.after(() => gateway.close());

  return {
    gateway,
    directory,
    write,
    logged: () => lines.join(""),
    async call(operation, token) {
      const options = token === undefined ? {} : { token };
      const response = await postJson(`${gateway.url}/call`, { operation }, options);
      const body = (await response.json()) as Omit<CallAnswer, "status" | "headers">;
      return { ...body, status: response.status, headers: response.headers };
    },
  };
}

/** How a config names an authorization server of the tests. */
export function issuerConfig({ issuer }: Pick<AuthorizationServer, "issuer">, more: object = {}): object {
  return { issuer, audience: AUDIENCE, name: "idp", allowPrivate: true, ...more };
}
