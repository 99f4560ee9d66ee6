import { randomBytes, randomUUID } from "node:crypto";
import { loadConfig } from "../adapters/index.ts";
import {
  type LoadConfigOptions,
  type LoadedConfig,
  letsAnonymousIn,
  packageVersion,
} from "../config/index.ts";
import { type ActionName, checkArguments, runAction } from "../contract/index.ts";
import {
  ANONYMOUS,
  type Entrance,
  operatorOf,
  type Registry,
  SILENT_LOG,
  type UnknownRecord,
} from "../core/index.ts";
import { type ConfiguredSurface, measureConfigured, readFacets } from "../gateway/facets/index.ts";
import { callLimitsOf, openSources, searchOptionsOf } from "../gateway/index.ts";
import type { ListedSource, UpstreamReport } from "../gateway/sources/index.ts";
import { createTokenResolver } from "../identity/index.ts";
import { SecretsInUse } from "../observe/index.ts";
import { createRuntime } from "../runtime.ts";
import { createSearchIndex, type Explanation } from "../services/search/index.ts";
import { type ActionAnswer, type McpPost, mcpMessageOf } from "./node/index.ts";

/** Longer than a start of the gateway waits: what comes in later is of no use to a command. */
const PATIENCE_MS = 6_000;

/** What a catalogue can be told beside the configuration. */
export interface CatalogueOptions {
  /** How long sources that are slow may take; 6 s if not told otherwise. */
  readonly patienceMs?: number;
  /** Ends the waiting for them with an error. */
  readonly signal?: AbortSignal | undefined;
}

/** Who asks, and which facets the environment lists. */
interface McpCallerOptions {
  readonly token: string | undefined;
  readonly tools: string | undefined;
}

/** The operations that a configuration brings in, without a server in front of them. */
export interface Catalogue {
  readonly loaded: LoadedConfig;
  readonly registry: Registry;
  /** How each server and API fares. */
  report(): readonly UpstreamReport[];
  /** All sources, plugins too, as operators are told of them. */
  sources(): readonly ListedSource[];
  /** What the plain HTTP wire would answer somebody who may see everything that is external. */
  ask(action: Exclude<ActionName, "subscribe">, input: object, signal?: AbortSignal): Promise<ActionAnswer>;
  /** The items of a subscription. */
  subscribe(call: object, signal?: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** The message that /mcp would answer to a caller: the one of the token, or one without scopes. */
  mcp(request: McpPost, caller: McpCallerOptions): Promise<UnknownRecord>;
  /** The tools that an agent sees, and their cost; `tools` names facets as PINHOLE_TOOLS does. */
  surface(tools: string | undefined): Promise<ConfiguredSurface>;
  /** Why the best operations are the best. */
  explain(query: string, limit: number): Promise<readonly Explanation[]>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Reads the configuration and brings in its sources, for commands that only look. */
export async function loadCatalogue(
  options: LoadConfigOptions,
  more: CatalogueOptions = {},
): Promise<Catalogue> {
  return catalogueOf(await loadConfig(options), more);
}

/** Brings in the sources of a configuration that is read already. */
export async function catalogueOf(
  loaded: LoadedConfig,
  { patienceMs = PATIENCE_MS, signal: stop }: CatalogueOptions = {},
): Promise<Catalogue> {
  const { config } = loaded;
  // report() tells what is wrong; a log between the lines of an answer would only be in the way.
  const log = { ...SILENT_LOG, info: () => {}, debug: () => {} };
  const opened = openSources({ log, secrets: new SecretsInUse() });
  const { registry, upstreams, lockGate, sourcesList, report } = opened;
  lockGate.follow(opened.readLock(loaded));
  const search = searchOptionsOf(config.search);
  const operator = randomUUID();
  const resolveToken = createTokenResolver(config.identities);
  const { gateway, validator } = createRuntime({
    registry,
    sources: await opened.published(loaded),
    policy: { ...config.access, anonymous: letsAnonymousIn(config), deny: config.deny },
    search,
    ...callLimitsOf(config),
    resolveIdentity: async (token) =>
      token === operator ? operatorOf(registry.snapshot()) : resolveToken(token),
    anonymous: { ...ANONYMOUS, id: "agent", authenticated: true },
  });
  try {
    await upstreams.follow(upstreams.plan(loaded), { milliseconds: patienceMs, signal: stop });
  } catch (error) {
    await upstreams.close();
    throw error;
  }
  const enter = (signal: AbortSignal | undefined): Promise<Entrance> => gateway.enter(operator, signal);

  return {
    loaded,
    registry,
    report,
    sources: () => sourcesList.list(),
    async ask(action, input, signal) {
      const written = checkArguments(action, input, validator);
      const answer = await runAction(
        await enter(signal),
        { name: action, written },
        signal ? { signal } : {},
      );
      return action !== "call" && "output" in answer ? { ...(answer.output as object) } : { ...answer };
    },
    async subscribe(call, signal) {
      const given = checkArguments("subscribe", call, validator);
      return (await enter(signal)).subscribe(given as never, signal ? { signal } : {});
    },
    async mcp({ headers, body }, { token, tools }) {
      const { main } = readFacets(loaded, tools);
      const { createMcpProjection } = await import("../projections/to-mcp/index.ts");
      const options = { ...config.mcp, registry, validator, log, facet: main };
      const version = packageVersion();
      const endpoint = createMcpProjection({ ...options, version, stateKey: randomBytes(32) });
      const entrance = await gateway.enter(token, stop);
      const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers, body });
      return mcpMessageOf(await endpoint.fetch(request, { entrance, body: JSON.parse(body) }));
    },
    surface: (tools) => measureConfigured(loaded, registry, tools),
    async explain(query, limit) {
      const index = createSearchIndex(registry, search);
      const caller = { identity: operatorOf(registry.snapshot()), internal: false };
      const explained = await index.explain(query, { caller, most: limit });
      index.close();
      return explained;
    },
    close: () => upstreams.close(),
  };
}
