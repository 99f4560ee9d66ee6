import { randomBytes } from "node:crypto";
import {
  createLimits,
  type LastingLimits,
  type Overlay,
  Overlays,
  type Route,
  type SourceSet,
} from "../core/index.ts";
import { type GatewayLog, Observers, SecretsInUse } from "../observe/index.ts";
import { McpEndpoints, tellWithheldAliases } from "./facets/index.ts";
import { type OpenSources, openSources } from "./open-sources.ts";
import { Issuers } from "./server/index.ts";

/** Everything that lives as long as the gateway, through all its configs. */
export interface GatewayState extends OpenSources {
  readonly issuers: Issuers;
  readonly observers: Observers;
  readonly endpoints: McpEndpoints;
  /** Operations of single callers, where the embedding program makes some. */
  readonly overlays: Overlays | undefined;
  /** The routes of the embedding program, as a source without operations; none where it has none. */
  readonly program: readonly SourceSet[];
  /** Running calls of each caller. */
  readonly limits: LastingLimits;
  /** Redacts all secrets. */
  readonly log: GatewayLog;
  readonly secrets: SecretsInUse;
  readonly randomKey: Uint8Array;
  close(): Promise<void>;
}

/** No source of a config can have this name. */
const PROGRAM = "startGateway({ routes })";

/** Options of the state of a gateway. */
interface StateOptions {
  readonly nodeId?: string | undefined;
  readonly overlay?: Overlay | undefined;
  readonly routes?: readonly Route[] | undefined;
  readonly watch?: boolean | undefined;
}

/** Builds the state of a gateway. Close it. */
export function createGatewayState(
  given: GatewayLog,
  { nodeId, overlay, routes, watch }: StateOptions = {},
): GatewayState {
  const secrets = new SecretsInUse();
  const log = secrets.guard(given);
  const issuers = new Issuers(log);
  const observers = new Observers(log, secrets);
  const sources = openSources({
    log,
    secrets,
    nodeId,
    watch,
    strayErrors: observers.strayErrors.counts,
    audit: () => observers.auditState(),
  });
  const { registry } = sources;
  const endpoints = new McpEndpoints(registry, log);
  tellWithheldAliases(registry, log);
  const overlays = overlay && new Overlays({ registry, overlay, log });
  return {
    ...sources,
    overlays,
    program: routes ? [{ source: { name: PROGRAM }, registrations: [], routes }] : [],
    issuers,
    observers,
    endpoints,
    limits: createLimits({}),
    log,
    secrets,
    randomKey: randomBytes(32),
    async close() {
      endpoints.endListening();
      overlays?.clear();
      await Promise.all([sources.upstreams.close(), issuers.close(), observers.close()]);
    },
  };
}
