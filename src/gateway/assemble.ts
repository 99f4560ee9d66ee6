import { createHash } from "node:crypto";
import {
  acceptsAnonymous,
  hasIdentities,
  type LoadedConfig,
  presetsOf,
  resolveSecret,
} from "../config/index.ts";
import { ANONYMOUS, OPERATOR_SCOPE } from "../core/index.ts";
import { createTokenResolver, resolveInTurn } from "../identity/index.ts";
import type { SecretsInUse } from "../observe/index.ts";
import { createHttpProjection } from "../projections/to-openapi/index.ts";
import { createRuntime } from "../runtime.ts";
import { readFacets } from "./facets/index.ts";
import { callLimitsOf, searchOptionsOf } from "./open-sources.ts";
import { type Serving, signInOf } from "./server/index.ts";
import type { GatewayState } from "./state.ts";

/** A config, ready to serve. */
interface Assembled {
  readonly serving: Serving;
  /** Imports the sources; waits a little for slow ones, unless the signal ends that. */
  importSources(signal?: AbortSignal): Promise<void>;
}

/**
 * Builds everything that a config decides. Nothing of it is in force before all of it has been built, and it is in force
 * before its sources have answered. `loads` counts the configs that were taken or tried before.
 */
export async function assemble(loaded: LoadedConfig, state: GatewayState, loads: number): Promise<Assembled> {
  const { registry, upstreams, lockGate, issuers, sourcesList, observers, endpoints, peers, overlays, log } =
    state;
  const { config } = loaded;
  const facets = readFacets(loaded, process.env.PINHOLE_TOOLS);
  const resolvers = issuers.resolversFor(config).map(({ resolve }) => resolve);
  const stateKey = stateKeyOf(loaded, state.secrets) ?? state.randomKey;
  const plan = upstreams.plan(loaded);
  const lock = state.readLock(loaded);
  await endpoints.budget.checkChange({ facets, mcp: config.mcp, deny: config.deny });
  const sources = [...(await state.published(loaded)), ...state.program];
  const { takeOver, ...watching } = observers.follow(loaded);

  const kept = new Set([
    "services",
    ...plan.lasting,
    ...peers.offers.sources(),
    ...sources.map(({ source }) => source.name),
  ]);
  // Callers may have other rights under the next config.
  overlays?.clear();
  const gone = [...registry.snapshot().sources.keys()].filter((name) => !kept.has(name));
  const { limits, access, deny, mcp, search } = config;
  const identitiesConfigured = hasIdentities(config);
  const anonymous = acceptsAnonymous(config);
  const runtime = createRuntime({
    registry,
    sources,
    remove: gone,
    policy: { ...access, anonymous, deny, identitiesConfigured },
    presets: presetsOf(config),
    resolveIdentity: resolveInTurn([createTokenResolver(config.identities), ...resolvers]),
    // Without identities only this machine reaches the gateway, and its users are its operators.
    anonymous: identitiesConfigured ? ANONYMOUS : { ...ANONYMOUS, scopes: [OPERATOR_SCOPE] },
    // A facet that is served alone confines all wires.
    reach: facets.alone ? facets.main.reach : undefined,
    search: searchOptionsOf(search, state.nodeId),
    overlayOf: overlays && ((identity) => overlays.open(identity)),
    ...callLimitsOf(config),
    maxConcurrent: limits.concurrent,
    limits: state.limits.under(limits),
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
    mcp: await endpoints.follow({ facets, mcp, validator, stateKey, connections: limits.connections }),
    http: createHttpProjection({
      registry,
      validator,

      heartbeatMs: config.http.heartbeatMs,
    }),
    routes: { registry, deadlineMs: limits.deadlineMs, ...watching },
    metrics: () =>
      observers.metrics.render(sourcesList.list(), {
        strayErrors: observers.strayErrors.counts,
        audit: observers.auditState(),
      }),
  };
  return {
    serving,
    async importSources(signal) {
      await upstreams.follow(plan, { signal });
      // A running gateway does not stop because sources have made its list too long.
      await endpoints.budget.check({ facets, mcp: loads === 0 ? mcp : { ...mcp, overBudget: "warn" } });
    },
  };
}

/** Any secret will do, because its digest signs, which has the right length. */
function stateKeyOf(loaded: LoadedConfig, secrets: SecretsInUse): Uint8Array | undefined {
  const reference = loaded.config.server.stateKey;
  if (!reference) return undefined;
  const secret = resolveSecret(reference, ["server", "stateKey"], { ...loaded, env: process.env });
  secrets.add([secret]);
  return createHash("sha256").update(secret).digest();
}
