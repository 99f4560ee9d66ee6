import type { TestContext } from "node:test";
import {
  CallError,
  createRuntime,
  type Log,
  type RootCall,
  type RuntimeOptions,
  type UnknownRecord,
} from "pinhole/core";
import { createMcpSource } from "../../src/adapters/from-mcp/mcp-source.ts";
import type { McpSourceOptions } from "../../src/adapters/from-mcp/options.ts";
import { createOutbound } from "../../src/outbound/index.ts";
import { awakeTime } from "./awake-time.ts";
import { ScriptedUpstream, type UpstreamOptions } from "./scripted-upstream.ts";

/** Within so long of when it can be known, by `awakeTime`, a caller knows what became of a call. */
export const SOON_MS = 1_000;
/** Time enough for what is tried again: less than a refresh takes to come. */
const PATIENCE_MS = 5_000;

/** What an import can be told beside where the upstream is. */
export interface ImportOptions extends Partial<Omit<McpSourceOptions, "url" | "outbound" | "log">> {
  readonly runtime?: RuntimeOptions;
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
  { runtime: runtimeOptions = {}, ...options }: ImportOptions = {},
) {
  const upstream = script instanceof ScriptedUpstream ? script : await new ScriptedUpstream(script).start();
  const log = collectingLog();
  const outbound = createOutbound({ allowPrivate: true, log });
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
