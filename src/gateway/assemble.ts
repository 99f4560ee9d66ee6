import { createHash, randomBytes } from "node:crypto";
import {
  hasIdentities,
  type LoadedConfig,
  letsAnonymousIn,
  makeNodeId,
  packageVersion,
  resolveSecret,
} from "../config/index.ts";
import { ANONYMOUS, createLimits, type LastingLimits, OPERATOR_SCOPE, Registry } from "../core/index.ts";
import { createSchemaValidator } from "../formats/index.ts";
import { createTokenResolver, resolveInTurn } from "../identity/index.ts";
import type { GatewayLog } from "../observe/index.ts";
import { Observers, SecretsInUse } from "../observe/index.ts";
import { createHttpProjection } from "../projections/to-openapi/index.ts";
import { createRuntime } from "../runtime.ts";
import { createDemo } from "./demo/index.ts";
import { McpDoors, readOpenings } from "./facets/index.ts";
import { LockGate, lockPath, offerTo } from "./lock/index.ts";
import { Peers } from "./peers/index.ts";
import { searchOptionsOf } from "./search-options.ts";
import type { Serving } from "./server/index.ts";
import { Issuers, signInOf } from "./server/index.ts";
import { SourcesList, type UpstreamReport, Upstreams } from "./sources/index.ts";

/** What lives as long as the gateway, whatever configs it is given. */
export interface Lasting {
  readonly registry: Registry;
  readonly upstreams: Upstreams;
  readonly lockGate: LockGate;
  readonly issuers: Issuers;
  readonly sourcesList: SourcesList;
  readonly observers: Observers;
  readonly doors: McpDoors;
  readonly peers: Peers;
  /** Who runs how many calls. */
  readonly limits: LastingLimits;
  /** The id of this node. */
  readonly nodeId: string;
  /** Says none of the secrets. */
  readonly log: GatewayLog;
  readonly secrets: SecretsInUse;
  readonly randomKey: Uint8Array;
  /** Ends all of it. */
  close(): Promise<void>;
}

/** Makes what lives as long as the gateway. Close it. */
export function createLasting(given: GatewayLog, nodeId = makeNodeId()): Lasting {
  const secrets = new SecretsInUse();
  const log = secrets.guard(given);
  const registry = new Registry(createSchemaValidator());
  const lockGate = new LockGate(registry, log);
  const upstreams = new Upstreams(offerTo(lockGate), { log, secrets, nodeId });
  const issuers = new Issuers(log);
  const observers = new Observers(log, secrets);
  const doors = new McpDoors(registry, log);
  return {
    registry,
    upstreams,
    issuers,
    lockGate,
    sourcesList: new SourcesList(registry, {
      upstreams: () => upstreams.report().map(withWithheld),
      strayErrors: observers.strayErrors.counts,
      audit: () => observers.auditState(),
    }),
    observers,
    doors,
    peers: new Peers({ registry, nodeId, upstreams: () => upstreams.report(), log }),
    limits: createLimits({}),
    nodeId,
    log,
    secrets,
    randomKey: randomBytes(32),
    async close() {
      doors.endListening();
      await Promise.all([upstreams.close(), issuers.close(), observers.close()]);
    },
  };

  function withWithheld(report: UpstreamReport): UpstreamReport {
    return { ...report, withheld: lockGate.withheld(report.name) };
  }
}

/** What a config comes to. */
export interface Assembled {
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
  const { config, file, directory } = loaded;
  const openings = readOpenings(loaded, process.env.PINHOLE_TOOLS);
  const resolvers = issuers.resolversFor(config).map(({ resolve }) => resolve);
  const stateKey = stateKeyOf(loaded, lasting.secrets) ?? lasting.randomKey;
  const plan = upstreams.plan(loaded);
  const lock = lockGate.read({ mode: config.lock, path: lockPath(directory) });
  await doors.budget.checkChange({ openings, mcp: config.mcp, deny: config.deny });
  const demo = file === undefined ? await createDemo() : [];
  const sources = [...sourcesList.counted(demo), sourcesList.set, peers.set];
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
    deadlineMs: limits.deadlineMs,
    maxResultBytes: limits.maxResultBytes,
    outputValidation: limits.outputValidation,
    maxBatchSize: limits.batchSize,
    batchConcurrency: limits.batchConcurrency,
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
