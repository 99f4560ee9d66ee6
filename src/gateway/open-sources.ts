import { type Config, type LoadedConfig, makeNodeId } from "../config/index.ts";
import { Registry, type SourceSet } from "../core/index.ts";
import { createDemo } from "../demo/index.ts";
import { createSchemaValidator } from "../formats/index.ts";
import type { GatewayLog, SecretsInUse } from "../observe/index.ts";
import type { RuntimeOptions } from "../runtime.ts";
import { LockGate, lockPath, type ReadLock } from "./lock/index.ts";
import { Peers } from "./peers/index.ts";
import { type SourceFacts, SourcesList, type UpstreamReport, Upstreams } from "./sources/index.ts";

/** A registry and everything that fills it. */
export interface OpenSources {
  readonly registry: Registry;
  readonly upstreams: Upstreams;
  readonly lockGate: LockGate;
  readonly sourcesList: SourcesList;
  readonly peers: Peers;
  /** The id of this node. */
  readonly nodeId: string;
  /** The state of each source, and what the lock withholds of it. */
  report(): readonly UpstreamReport[];
  /** Reads the lock that a config wants, and changes nothing yet. Throws where it cannot be read. */
  readLock(loaded: LoadedConfig): ReadLock;
  /** Operations of the gateway itself under a config, and the demo where there is no file. */
  published(loaded: LoadedConfig): Promise<readonly SourceSet[]>;
}

/** Options of openSources: where messages go, and facts for the list of sources that are not known here. */
interface OpenSourcesOptions extends Omit<SourceFacts, "upstreams"> {
  readonly log: GatewayLog;
  readonly secrets: SecretsInUse;
  readonly nodeId?: string | undefined;
  /** Follow changes of plugins' files. */
  readonly watch?: boolean | undefined;
}

/** Puts together a registry, the lock before it, and the sources that go through the lock. Close its upstreams. */
export function openSources({
  log,
  secrets,
  nodeId = makeNodeId(),
  watch = false,
  ...facts
}: OpenSourcesOptions): OpenSources {
  const registry = new Registry(createSchemaValidator());
  const lockGate = new LockGate(registry, log);
  const offer = (set: SourceSet, isOwnCode: boolean) => lockGate.offer(set, isOwnCode);
  const upstreams = new Upstreams(offer, log, { secrets, nodeId, watch });
  const report = () =>
    upstreams.report().map((each) => ({ ...each, withheld: lockGate.withheld(each.name) }));
  const sourcesList = new SourcesList(registry, { ...facts, upstreams: report });
  const peers = new Peers({ registry, nodeId, upstreams: report, log });
  return {
    registry,
    upstreams,
    lockGate,
    sourcesList,
    peers,
    nodeId,
    report,
    readLock: ({ config, directory }) => lockGate.read({ mode: config.lock, path: lockPath(directory) }),
    published: async ({ file }) => [
      ...sourcesList.counted(file === undefined ? await createDemo() : []),
      sourcesList.set,
      peers.set,
    ],
  };
}

/** The limits of single calls and batches, as a runtime takes them. */
export function callLimitsOf({
  limits,
}: Config): Pick<
  RuntimeOptions,
  "deadlineMs" | "maxResultBytes" | "outputValidation" | "maxBatchSize" | "batchConcurrency"
> {
  const { deadlineMs, maxResultBytes, outputValidation, batchSize, batchConcurrency } = limits;
  return { deadlineMs, maxResultBytes, outputValidation, maxBatchSize: batchSize, batchConcurrency };
}

/** The search options of a configuration, as the runtime takes them. */
export function searchOptionsOf(
  { dense, budgetTokens }: Config["search"],
  node?: string,
): NonNullable<RuntimeOptions["search"]> {
  return { dense: dense === "on", budgetTokens, node };
}
