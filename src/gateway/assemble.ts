import { createHash, randomBytes } from "node:crypto";
import {
  hasIdentities,
  type LoadedConfig,
  letsAnonymousIn,
  packageVersion,
  resolveSecret,
} from "../config/index.ts";
import { ANONYMOUS, createLimits, type LastingLimits, OPERATOR_SCOPE } from "../core/index.ts";
import { createTokenResolver, resolveInTurn } from "../identity/index.ts";
import type { GatewayLog } from "../observe/index.ts";
import { Observers, SecretsInUse } from "../observe/index.ts";
import { createHttpProjection } from "../projections/to-openapi/index.ts";
import { createRuntime } from "../runtime.ts";
import { McpDoors, readOpenings } from "./facets/index.ts";
import { callLimitsOf, type OpenSources, openSources } from "./open-sources.ts";
import { searchOptionsOf } from "./search-options.ts";
import type { Serving } from "./server/index.ts";
import { Issuers, signInOf } from "./server/index.ts";

/** What lives as long as the gateway, whatever configs it is given. */
interface Lasting extends OpenSources {
  readonly issuers: Issuers;
  readonly observers: Observers;
  readonly doors: McpDoors;
  /** Who runs how many calls. */
  readonly limits: LastingLimits;
  /** Says none of the secrets. */
  readonly log: GatewayLog;
  readonly secrets: SecretsInUse;
  readonly randomKey: Uint8Array;
  /** Ends all of it. */
  close(): Promise<void>;
}

/** Makes what lives as long as the gateway. Close it. */
export function createLasting(given: GatewayLog, nodeId?: string): Lasting {
  const secrets = new SecretsInUse();
  const log = secrets.guard(given);
  const issuers = new Issuers(log);
  const observers = new Observers(log, secrets);
  const opened = openSources({
    log,
    secrets,
    nodeId,
    strayErrors: observers.strayErrors.counts,
    audit: () => observers.auditState(),
  });
  const doors = new McpDoors(opened.registry, log);
  return {
    ...opened,
    issuers,
    observers,
    doors,
    limits: createLimits({}),
    log,
    secrets,
    randomKey: randomBytes(32),
    async close() {
      doors.endListening();
      await Promise.all([opened.upstreams.close(), issuers.close(), observers.close()]);
    },
  };
}

/** What a config comes to. */
interface Assembled {
  readonly serving: Serving;
  /** Brings in what the upstreams offer; waits a little for those that are slow, unless the signal ends that. */
  bringIn(signal?: AbortSignal): Promise<void>;
}

/**
 * Everything that a config decides. Nothing of it is in force before all of it has been built; no upstream is waited for
 * before it is in force. `loads` says how often a config was taken or tried before.
 */
export async function assemble(loaded: LoadedConfig, lasting: Lasting, loads: number): Promise<Assembled> {
  const { registry, upstreams, lockGate, issuers, sourcesList, observers, doors, peers, log } = lasting;
  const { config, directory } = loaded;
  const openings = readOpenings(loaded, process.env.PINHOLE_TOOLS);
  const resolvers = issuers.resolversFor(config).map(({ resolve }) => resolve);
  const stateKey = stateKeyOf(loaded, lasting.secrets) ?? lasting.randomKey;
  const plan = upstreams.plan(loaded);
  const lock = lasting.readLock(loaded);
  await doors.budget.checkChange({ openings, mcp: config.mcp, deny: config.deny });
  const sources = await lasting.published(loaded);
  const { takeOver, ...watching } = observers.follow(loaded);

  const kept = new Set([
    "services",
    ...plan.lasting,
    ...peers.offers.sources(),
    ...sources.map(({ source }) => source.name),
  ]);
  const gone = [...registry.snapshot().sources.keys()].filter((name) => !kept.has(name));
  const { limits, access, deny, mcp, search } = config;
  const identitiesConfigured = hasIdentities(config);
  const anonymous = letsAnonymousIn(config);
  const runtime = createRuntime({
    registry,
    sources,
    remove: gone,
    policy: { ...access, anonymous, deny, identitiesConfigured },
    resolveIdentity: resolveInTurn([createTokenResolver(config.identities), ...resolvers]),
    // Without identities only this machine reaches the gateway, and whoever is on it runs it.
    anonymous: identitiesConfigured ? ANONYMOUS : { ...ANONYMOUS, scopes: [OPERATOR_SCOPE] },
    search: searchOptionsOf(search, directory, lasting.nodeId),
    ...callLimitsOf(config),
    maxConcurrent: limits.concurrent,
    limits: lasting.limits.under(limits),
    log,
    ...watching,
  });
  takeOver();
  for (const name of gone) lockGate.forget(name);
  lockGate.follow(lock);
  peers.offers.follow({
    ...config.peers.offers,
    locked: config.lock === "enforce",
    timeoutMs: limits.deadlineMs,
  });
  const { validator, gateway } = runtime;
  const serving = {
    gateway,
    anonymous,
    identitiesConfigured,
    maxConnectionsEach: limits.connections,
    signIn: signInOf(config, registry),
    mcp: await doors.follow({ openings, mcp, validator, stateKey }),
    reach: openings.alone ? openings.main.reach : undefined,
    http: createHttpProjection({
      registry,
      validator,
      version: packageVersion(),
      heartbeatMs: config.http.heartbeatMs,
    }),
    metrics: () =>
      observers.metrics.render(sourcesList.list(), {
        strayErrors: observers.strayErrors.counts,
        audit: observers.auditState(),
      }),
  };
  return {
    serving,
    async bringIn(signal) {
      await upstreams.follow(plan, { signal });
      // Once it runs, a list that sources have made too long is no reason to stop serving it.
      await doors.budget.check({ openings, mcp: loads === 0 ? mcp : { ...mcp, overBudget: "warn" } });
    },
  };
}

/** Any secret will do: what signs is its digest, which has the right length. */
function stateKeyOf(loaded: LoadedConfig, secrets: SecretsInUse): Uint8Array | undefined {
  const reference = loaded.config.server.stateKey;
  if (!reference) return undefined;
  const secret = resolveSecret(reference, ["server", "stateKey"], { ...loaded, env: process.env });
  secrets.add([secret]);
  return createHash("sha256").update(secret).digest();
}
