import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import {
  CallError,
  type CallErrorJson,
  createRuntime,
  type Log,
  type RootCall,
  type RuntimeOptions,
  type UnknownRecord,
} from "pinhole/core";
import { stringify } from "yaml";
import type { McpSourceOptions } from "../../../src/adapters/from-mcp/options.ts";
import { createMcpSource } from "../../../src/adapters/from-mcp/start.ts";
import { startGateway } from "../../../src/gateway/gateway.ts";
import { createLog } from "../../../src/observe/log.ts";
import { createOutbound, type OutboundOptions } from "../../../src/outbound/index.ts";
import { awakeTime } from "../awake-time.ts";
import { answerOf, type ModernOptions, postModern, resultOf, type WireMessage } from "../mcp-wire.ts";
import { ScriptedUpstream, type UpstreamOptions } from "./server.ts";

/** Within so long of when it can be known, by `awakeTime`, a caller knows what became of a call. */
export const SOON_MS = 1_000;
/** Time enough for what is tried again: less than a refresh takes to come. */
const PATIENCE_MS = 5_000;

/** What an import can be told beside where the upstream is. */
export interface ImportOptions extends Partial<Omit<McpSourceOptions, "url" | "outbound" | "log">> {
  readonly runtime?: RuntimeOptions;
  /** How the client goes out, and by which clock it waits. */
  readonly client?: OutboundOptions;
}

/** How a call ended, and when. */
export interface Outcome {
  readonly output?: unknown;
  readonly error?: CallError;
  readonly milliseconds: number;
}

/** Brings an upstream into a registry as the source "up", and starts it if need be. All of it ends with the test. */
export async function importUpstream(
  t: TestContext,
  script: UpstreamOptions | ScriptedUpstream = {},
  { runtime: runtimeOptions = {}, client = {}, ...options }: ImportOptions = {},
) {
  const upstream = script instanceof ScriptedUpstream ? script : await new ScriptedUpstream(script).start();
  const log = collectingLog();
  const outbound = createOutbound({ allowPrivate: true, log, ...client });
  const runtime = createRuntime({ log, ...runtimeOptions });
  const source = createMcpSource(
    {
      name: "up",
      url: upstream.url,
      external: ["*"],
      scopes: [],
      public: true,
      trustAnnotations: false,
      timeoutMs: 10_000,
      refreshMs: 300_000,
      version: "0.0.0",
      ...options,
      outbound,
      log,
    },
    (set) => runtime.registry.apply({ replace: [set] }),
  );
  t.after(async () => {
    await source.close();
    await outbound.close();
    await upstream.stop();
  });
  await source.firstAttempt;

  async function call(tool: string, input: unknown = {}, root: RootCall = {}): Promise<Outcome> {
    const started = awakeTime();
    const since = () => awakeTime() - started;
    try {
      const output = await runtime.dispatch.invoke({ operation: `up/${tool}`, input }, root);
      return { output, milliseconds: since() };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return { error, milliseconds: since() };
    }
  }

  /** The names of what is imported now, without the namespace. */
  const names = () =>
    (runtime.registry.snapshot().sources.get("up")?.registrations ?? []).map(({ spec }) =>
      spec.name.slice("up/".length),
    );
  return { ...runtime, upstream, source, outbound, log, call, names };
}

/** A log that can be read. */
export function collectingLog(): Log & { readonly entries: readonly Logged[]; text(): string } {
  const entries: Logged[] = [];
  const add = (message: string, fields: UnknownRecord = {}) => void entries.push({ message, fields });
  return { entries, warn: add, error: add, text: () => JSON.stringify(entries) };
}

/** One line of a log. */
export interface Logged {
  readonly message: string;
  readonly fields: UnknownRecord;
}

/** Waits until something holds. */
export async function until(holds: () => boolean, mostMs = PATIENCE_MS): Promise<void> {
  const started = awakeTime();
  while (!holds()) {
    if (awakeTime() - started > mostMs) throw new Error(`After ${mostMs} ms it still does not hold.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** How a call over HTTP came out. */
export interface HttpOutcome {
  readonly output?: unknown;
  readonly error?: CallErrorJson;
  readonly content?: unknown;
}

/** The config of a source that leads to an upstream. */
export function sourceOf({ url }: ScriptedUpstream, more: object = {}): object {
  return { mcp: url.href, allowPrivate: true, external: "*", ...more };
}

/** Starts a whole gateway with a config file; it ends with the test. */
export async function startConfigured(t: TestContext, config: object, { watch = false } = {}) {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-upstreams-"));
  const file = join(directory, "pinhole.yaml");
  await writeFile(file, stringify(config));
  const lines: string[] = [];
  const log = createLog("debug", (line) => lines.push(line));
  const gateway = await startGateway({ directory, log, watch, flags: { port: "0" } });
  t.after(async () => {
    await gateway.close();
    await rm(directory, { recursive: true, force: true });
  });
  const url = new URL("/mcp", gateway.url);

  /** A request to the call tool, as a client of 2026-07-28 sends it. */
  async function post(operation: string, input: object, more: object = {}, wire: ModernOptions = {}) {
    const params = { name: "call", arguments: { operation, input }, ...more };
    return answerOf(await postModern(url, "tools/call", params, wire));
  }

  return {
    gateway,
    directory,
    post,
    async call(operation: string, input: object = {}, wire: ModernOptions = {}): Promise<HttpOutcome> {
      return outcomeOf(await post(operation, input, {}, wire));
    },
    /** Writes another config and has it taken. */
    async configure(next: object): Promise<void> {
      await writeFile(file, stringify(next));
      await gateway.reload();
    },
    logged: () => lines.join(""),
  };
}

/** What a result of the call tool says. */
export function outcomeOf(message: WireMessage): HttpOutcome {
  const { structuredContent, content } = resultOf(message);
  return { ...(structuredContent as object), content };
}
