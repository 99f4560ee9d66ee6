import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { connectPeer, type Peer } from "pinhole/client";
import { stringify } from "yaml";
import { childEnv } from "./child-env.ts";
import { ROOT } from "./source-files.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;

/** What every node of the tests has: operations to be called over several nodes, and `tell` which says what they saw. */
const PLUGIN = `import { CallError, defineOperation, definePlugin } from ${JSON.stringify(CORE)};
const seen = { started: 0, aborted: 0, made: 0, released: 0 };
const any = { type: "object" };
const echo = defineOperation({ name: "demo/echo", type: "query", description: "Answers with its input.",
  inputSchema: any, deprecated: "demo/whoami", annotations: { readOnlyHint: true }, handler: (input) => input });
const whoami = defineOperation({ name: "demo/whoami", type: "query", description: "Answers who calls.",
  handler: (_, { principal, forwardedFor, hops, trace, deadline }) => ({ id: principal.id,
    forwardedFor: forwardedFor ?? null, hops, traceparent: trace?.traceparent ?? null,
    left: deadline === undefined ? null : deadline - Date.now() }) });
const fail = defineOperation({ name: "demo/fail", type: "mutation", description: "Fails with an error of its own.",
  errors: [{ code: "DRY", description: "Nothing is left.", retryable: true, httpStatus: 503 }],
  handler: () => { throw new CallError("DRY", "Nothing is left.", { details: { since: "noon" } }); } });
const hang = defineOperation({ name: "demo/hang", type: "query", description: "Never answers.",
  handler: (_, { signal }) => { seen.started++; return new Promise(() => signal.addEventListener("abort", () => seen.aborted++)); } });
const count = defineOperation({ name: "demo/count", type: "subscription", description: "Counts up to a number, or for ever.",
  inputSchema: { type: "object", properties: { to: { type: "integer" }, pad: { type: "integer" } } },
  async *handler({ to = Infinity, pad = 0 }) { const text = "x".repeat(pad); try { for (let item = 0; item < to; item++) { seen.made++;
    yield pad ? { item, text } : item; } } finally { seen.released++; } } });
const tick = defineOperation({ name: "demo/tick", type: "subscription", description: "Yields once, then waits.",
  async *handler(_, { signal }) { try { yield "first"; await new Promise((go) => signal.addEventListener("abort", go)); } finally { seen.released++; } } });
const tell = defineOperation({ name: "demo/tell", type: "query", description: "Tells what was seen.",
  handler: () => ({ ...seen, rss: process.memoryUsage.rss() }) });
const through = defineOperation({ name: "demo/through", type: "query", description: "Composes another operation.",
  inputSchema: { type: "object", properties: { operation: { type: "string" }, input: {} }, required: ["operation"] },
  composes: ["*"], authority: { scopes: [] }, handler: ({ operation, input }, { env }) => env.invoke(operation, input) });
export default definePlugin({ name: "demo", operations: [echo, whoami, fail, hang, count, tick, tell, through] });`;

/** A node in a process of its own. */
export interface PeerProcess {
  readonly url: string;
  readonly directory: string;
  readonly pid: number;
  /** A client of it; closed when the test ends. */
  connect(token?: string): Promise<Peer>;
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
  /** Starts it again on the same port and config. */
  restart(): Promise<void>;
}

/** What else a process can be given. */
export interface PeerProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Files beside the config. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts a node by a config; `demo` is there as a plugin. */
export async function startPeerProcess(
  t: TestContext,
  port: number,
  config: object = {},
  { env: more = {}, files = {} }: PeerProcessOptions = {},
): Promise<PeerProcess> {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-peer-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const { sources = {}, server = {}, ...rest } = config as { sources?: object; server?: object };
  const all = {
    server: { port, ...server },
    sources: { demo: { plugin: "./demo.ts" }, ...sources },
    log: { level: "warn" },
    ...rest,
  };
  for (const [name, text] of Object.entries({ ...files, "demo.ts": PLUGIN }))
    await writeFile(join(directory, name), text);
  await writeFile(join(directory, "pinhole.yaml"), stringify(all));
  const start = async () => {
    const env = childEnv();
    const child = spawn(process.execPath, [join(ROOT, "src/cli/main.ts"), "serve"], {
      cwd: directory,
      env: { ...env, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    for await (const line of createInterface(child.stdout)) {
      if (!/listens on (\S+)/.test(line)) continue;
      child.stdout.resume();
      return child;
    }
    throw new Error(`It ended without listening: ${said}`);
  };
  let child = await start();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  t.after(kill);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    directory,
    get pid() {
      return child.pid ?? 0;
    },
    async connect(token) {
      const peer = await connectPeer(url, token === undefined ? {} : { token });
      t.after(() => peer.close());
      return peer;
    },
    kill,
    async restart() {
      await kill();
      child = await start();
    },
  };
}

/** A source that brings in another node of the tests. */
export function peerAt(port: number, more: object = {}): object {
  return { peer: `ws://127.0.0.1:${port}/call-protocol`, allowPrivate: true, external: "*", ...more };
}

/** Calls an operation of a node that is away until it answers. */
export async function untilAnswered(peer: Peer, operation: string): Promise<void> {
  const isThere = () =>
    peer.call(operation).then(
      () => true,
      () => false,
    );
  // A pause, because the node that comes back needs the processor too.
  while (!(await isThere())) await new Promise((go) => setTimeout(go, 20));
}

/** The names that a node shows, once they are as expected; told by the node itself, so that nothing sleeps. */
export async function untilListed(
  peer: Peer,
  holds: (names: readonly string[]) => boolean,
): Promise<readonly string[]> {
  for await (const _ of peer.subscribe("services/changes")) {
    const names = await namesOf(peer);
    if (holds(names)) return names;
  }
  throw new Error("The node tells no more changes.");
}

/** All names that a node shows. */
export async function namesOf(peer: Peer): Promise<readonly string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const input = { limit: 500, ...(cursor !== undefined && { cursor }) };
    const page = (await peer.call("services/list", input)) as {
      readonly operations: readonly { readonly name: string }[];
      readonly nextCursor?: string;
    };
    names.push(...page.operations.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}
