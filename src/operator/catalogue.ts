import { randomBytes, randomUUID } from "node:crypto";
import { loadConfig } from "../adapters/index.ts";
import {
  acceptsAnonymous,
  type LoadConfigOptions,
  type LoadedConfig,
  packageVersion,
  presetsOf,
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

/** Longer than a start of the gateway waits: a command cannot use what arrives later. */
const PATIENCE_MS = 6_000;

interface CatalogueOptions {
  /** Time for slow sources; 6 s by default. */
  readonly patienceMs?: number;
  /** Stops waiting for them, with an error. */
  readonly signal?: AbortSignal | undefined;
}

/** The caller, and the facets of PINHOLE_TOOLS. */
interface McpCallerOptions {
  readonly token: string | undefined;
  readonly tools: string | undefined;
}

/** The operations of a configuration, without a server. Close it. */
export interface Catalogue {
  readonly loaded: LoadedConfig;
  readonly registry: Registry;
  /** Health of each server and API. */
  report(): readonly UpstreamReport[];
  /** All sources including plugins, as `sources/list` shows them. */
  sources(): readonly ListedSource[];
  /** Answer of plain HTTP to a caller who may see everything external. */
  ask(action: Exclude<ActionName, "subscribe">, input: object, signal?: AbortSignal): Promise<ActionAnswer>;
  /** The items of a subscription. */
  subscribe(call: object, signal?: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** The message that /mcp would answer to a caller: the one of the token, or one without scopes. */
  mcp(request: McpPost, caller: McpCallerOptions): Promise<UnknownRecord>;
  /** The tools that an agent sees, and their cost; `tools` names facets as PINHOLE_TOOLS does. */
  surface(tools: string | undefined): Promise<ConfiguredSurface>;
  /** The best operations for a query, and why. */
  explain(query: string, limit: number): Promise<readonly Explanation[]>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Loads a configuration and its sources, for commands without a server. */
export async function loadCatalogue(
  options: LoadConfigOptions,
  more: CatalogueOptions = {},
): Promise<Catalogue> {
  return catalogueOf(await loadConfig(options), more);
}

/** Loads the sources of a configuration that is read already. */
export async function catalogueOf(
  loaded: LoadedConfig,
  { patienceMs = PATIENCE_MS, signal: stop }: CatalogueOptions = {},
): Promise<Catalogue> {
  const { config } = loaded;
  // report() has the problems; a log between the lines of an answer would only disturb.
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
    policy: { ...config.access, anonymous: acceptsAnonymous(config), deny: config.deny },
    presets: presetsOf(config),
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
      const { openMcpProjection } = await import("../projections/to-mcp/index.ts");
      const options = { ...config.mcp, registry, validator, log, facet: main };
      const version = packageVersion();
      const endpoint = await openMcpProjection({
        ...options,
        version,
        stateKey: randomBytes(32),
        sessions: undefined,
      });
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
