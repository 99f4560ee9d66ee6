import { createHash, randomBytes } from "node:crypto";
import { Registry } from "../core/index.ts";
import { createTokenResolver } from "../identity/index.ts";
import { createHttpProjection } from "../projections/to-openapi/index.ts";
import { createRuntime } from "../runtime/index.ts";
import {
  type Config,
  type LoadConfigOptions,
  type LoadedConfig,
  loadConfig,
  resolveSecret,
  watchConfig,
} from "./config/index.ts";
import { createApp, type Serving } from "./http/app.ts";
import { listen } from "./http/server.ts";
import { createLog, type GatewayLog } from "./log.ts";
import { loadPlugins } from "./plugins.ts";
import { searchOptionsOf } from "./search-options.ts";
import { Upstreams } from "./upstreams.ts";
import { packageVersion } from "./version.ts";

const GRACE_MS = 10_000;

/** How a gateway is started. */
export interface StartOptions extends LoadConfigOptions {
  /** Instead of the log that the config asks for. */
  readonly log?: GatewayLog;
  /** Follow changes of the config file; on unless it is false. */
  readonly watch?: boolean;
}

/** A running gateway. */
export interface Gateway {
  readonly url: string;
  /** The config file that it follows, if there is one. */
  readonly file: string | undefined;
  readonly registry: Registry;
  /** Reads the config again; on any fault the old one stays and the fault is thrown. */
  reload(): Promise<void>;
  /** Finishes running calls, then stops. */
  close(): Promise<void>;
}

/** Reads the config, brings in its sources and serves them. */
export async function startGateway(options: StartOptions): Promise<Gateway> {
  const loaded = await loadConfig(options);
  const { server } = loaded.config;
  const log = options.log ?? createLog(loaded.config.log.level);
  const registry = new Registry();
  const upstreams = new Upstreams(registry, log);
  const randomKey = randomBytes(32);
  let loads = 0;
  let reloads: Promise<void> = Promise.resolve();
  let serving = await assemble(loaded, { registry, upstreams, log, randomKey, loads });

  const app = createApp({ ...server, log, serving: () => serving });
  const http = await listen({
    host: server.host,
    port: server.port,
    fetch: (request) => app.fetch(request),
  }).catch(async (error: unknown) => {
    await upstreams.close();
    throw error;
  });

  async function reloadNow(): Promise<void> {
    const next = await loadConfig(options);
    serving = await assemble(next, { registry, upstreams, log, randomKey, loads: ++loads });
    if (JSON.stringify(next.config.server) !== JSON.stringify(server)) {
      log.warn("The settings under server take effect at the next start", { file: next.file });
    }
    if (JSON.stringify(next.config.search) !== JSON.stringify(loaded.config.search)) {
      log.warn("The settings under search take effect at the next start", { file: next.file });
    }
    log.info("Reloaded the config", { file: next.file, operations: registry.snapshot().entries().length });
  }

  /** One after the other, so that the last change of a file is the one that stays. */
  function reload(): Promise<void> {
    const mine = reloads.then(reloadNow);
    reloads = mine.catch(() => {});
    return mine;
  }

  const stopWatching =
    loaded.file !== undefined && options.watch !== false
      ? watchConfig(loaded.file, () =>
          reload().catch((error: unknown) =>
            log.error("The config is not taken; the old one stays", { reason: messageOf(error) }),
          ),
        )
      : () => {};

  return {
    url: http.url,
    file: loaded.file,
    registry,
    reload,
    async close() {
      stopWatching();
      await http.close(GRACE_MS);
      await serving.mcp.close();
      await upstreams.close();
    },
  };
}

interface Lasting {
  readonly registry: Registry;
  readonly upstreams: Upstreams;
  readonly log: GatewayLog;
  readonly randomKey: Uint8Array;
  /** How often a config was taken or tried before; plugins are read anew each time. */
  readonly loads: number;
}

/** Everything that a config decides. Nothing of it is in force before all of it has been built. */
async function assemble(
  loaded: LoadedConfig,
  { registry, upstreams, log, randomKey, loads }: Lasting,
): Promise<Serving> {
  const { config, file, directory } = loaded;
  const resolveIdentity = createTokenResolver(config.identities);
  const stateKey = stateKeyOf(config, directory) ?? randomKey;
  const plan = upstreams.plan(config, directory);
  const sources = await loadPlugins(config, { file, directory, loads });
  const { createMcpProjection } = await import("../projections/to-mcp/index.ts");

  const kept = new Set(["services", ...plan.kept, ...sources.map(({ source }) => source.name)]);
  const gone = [...registry.snapshot().sources.keys()].filter((name) => !kept.has(name));
  const { limits, access, deny, mcp, search } = config;
  const runtime = createRuntime({
    registry,
    sources,
    remove: gone,
    policy: { ...access, deny, identitiesConfigured: config.identities.length > 0 },
    resolveIdentity,
    search: searchOptionsOf(search, directory),
    deadlineMs: limits.deadlineMs,
    maxResultBytes: limits.maxResultBytes,
    outputValidation: limits.outputValidation,
    maxBatchSize: limits.batchSize,
    batchConcurrency: limits.batchConcurrency,
    log,
    audit: (entry) => log.info("Call", { ...entry }),
  });
  await upstreams.follow(plan);
  const shown = { registry, validator: runtime.validator, version: packageVersion() };
  return {
    gateway: runtime.gateway,
    anonymous: access.anonymous,
    mcp: createMcpProjection({ ...mcp, ...shown, log, stateKey }),
    http: createHttpProjection({ ...shown, heartbeatMs: mcp.keepAliveMs }),
  };
}

/** Any secret will do: what signs is its digest, which has the right length. */
function stateKeyOf(config: Config, directory: string): Uint8Array | undefined {
  const reference = config.server.stateKey;
  if (!reference) return undefined;
  return createHash("sha256")
    .update(resolveSecret(reference, { directory, env: process.env }))
    .digest();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
