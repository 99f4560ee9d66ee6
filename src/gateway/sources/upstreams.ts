import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { definitionOf } from "../../adapters/index.ts";
import { type ConfiguredSource, closeShared, referenceOf } from "../../adapters/source/index.ts";
import type { LoadedConfig } from "../../config/index.ts";
import type { SourceSet } from "../../core/index.ts";
import { asSource, CallCounts, counting, type GatewayLog, type SecretsInUse } from "../../observe/index.ts";
import { Outbounds } from "./outbounds.ts";
import type { UpstreamReport } from "./sources-list.ts";
import { type SuppliedSource, startSupplied } from "./supplied-source.ts";

/** Time for which a start waits for slow servers; they are imported later. */
const START_PATIENCE_MS = 3_000;

/** Takes the operations of a source, and whether it is the operator's own code; throws what keeps them from being registered. */
type Offer = (set: SourceSet, isOwnCode: boolean) => void;

interface Running {
  readonly wanted: ConfiguredSource;
  readonly source: SuppliedSource;
  readonly counts: CallCounts;
}

/** Changes that a config asks for; nothing has happened yet. */
interface UpstreamPlan {
  /** Sources that stay as they are, by name. */
  readonly kept: ReadonlyMap<string, ConfiguredSource>;
  /** Names of sources whose operations stay until they are replaced. */
  readonly lasting: ReadonlySet<string>;
  readonly started: readonly ConfiguredSource[];
}

/** Limits of the wait for first answers. */
interface Patience {
  readonly milliseconds?: number | undefined;
  /** Ends the waiting with an error. */
  readonly signal?: AbortSignal | undefined;
}

/** The sources of a config: kept across reloads as long as the config says the same about them. */
export class Upstreams {
  readonly #offer: Offer;
  readonly #shared = new Map<new () => unknown, unknown>();
  readonly #log: GatewayLog;
  readonly #secrets: SecretsInUse;
  readonly #nodeId: string;
  readonly #watch: boolean;
  readonly #running = new Map<string, Running>();
  readonly #outbounds: Outbounds;
  readonly #closing = new AbortController();
  #following: Promise<void> = Promise.resolve();

  constructor(
    offer: Offer,
    log: GatewayLog,
    {
      secrets,
      nodeId,
      watch,
    }: { readonly secrets: SecretsInUse; readonly nodeId: string; readonly watch: boolean },
  ) {
    this.#offer = offer;
    this.#log = log;
    this.#outbounds = new Outbounds(log);
    this.#secrets = secrets;
    this.#nodeId = nodeId;
    this.#watch = watch;
  }

  /** Finds out what a config changes. */
  plan(loaded: LoadedConfig): UpstreamPlan {
    const wanted = wantedIn(loaded);
    const runningOf = ({ name }: ConfiguredSource) => this.#running.get(name)?.wanted;
    const isSame = (each: ConfiguredSource) => sameWanted(runningOf(each), each);
    // Own code is loaded already: it is offered again under the new config without a wait.
    const isLasting = (each: ConfiguredSource) => isSame(each) || sameOwnCode(runningOf(each), each);
    return {
      lasting: new Set(wanted.filter(isLasting).map(({ name }) => name)),
      kept: new Map(wanted.filter(isSame).map((each) => [each.name, each])),
      started: wanted.filter((each) => !isSame(each)),
    };
  }

  /** Stops what is not kept, starts what is new, and waits a little for the first answers. */
  follow(plan: UpstreamPlan, patience: Patience = {}): Promise<void> {
    const following = this.#follow(plan, patience);
    this.#following = following.catch(() => {});
    return following;
  }

  /** Settles when the first attempt of each has ended, however long that takes. */
  async firstAttempts(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ source }) => source.firstAttempt));
  }

  /** The state of each source. */
  report(): readonly UpstreamReport[] {
    const redactor = this.#secrets.redactor();
    return [...this.#running.values()].map(({ wanted: { name, config }, source, counts }) => ({
      name,
      kind: config.kind,
      health: source.health(),
      lastImport: source.lastImport(),
      calls: counts.report(),
      reconnects: source.reconnects(),
      connectedSince: source.connectedSince(),
      redactor,
    }));
  }

  /** Ends all connections, also of sources that are being started, and starts nothing more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
    await Promise.all([...this.#running.values()].map(({ source }) => source.close()));
    await closeShared(this.#shared.values(), this.#log);
    await this.#outbounds.close();
  }

  async #follow({ kept, started }: UpstreamPlan, patience: Patience): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const gone = [...this.#running].filter(([name]) => !kept.has(name));
    for (const [name, { source }] of gone) {
      this.#running.delete(name);
      void source.close();
    }
    const supplied = [...kept].map(([name, wanted]) => this.#running.get(name)?.source.follow(wanted));
    // Operators often reload the config because they changed a document that it names.
    const files = [...this.#running.values()].filter(({ wanted: { config } }) => definitionOf(config).isFile);
    const again = files.map(({ source }) => source.refresh());
    const { milliseconds = START_PATIENCE_MS, signal = this.#closing.signal } = patience;
    const given = AbortSignal.any([signal, this.#closing.signal]);
    const settle = (awaited: readonly unknown[]) =>
      awaited.length === 0 ? undefined : atMost(milliseconds, given, Promise.allSettled(awaited));
    // The operator's own code comes first, so that no server takes one of its names.
    await settle(started.filter(isOwnCode).map((wanted) => this.#start(wanted)));
    const attempts = started.filter((wanted) => !isOwnCode(wanted)).map((wanted) => this.#start(wanted));
    await settle([...supplied, ...again, ...attempts]);
    patience.signal?.throwIfAborted();
  }

  /** Settles with the first attempt. */
  #start(wanted: ConfiguredSource): Promise<void> {
    const counts = new CallCounts();
    const isOwn = isOwnCode(wanted);
    const start = () =>
      startSupplied(
        { wanted, definition: definitionOf(wanted.config) },
        {
          log: this.#log,
          nodeId: this.#nodeId,
          watch: this.#watch,
          outbound: (allowPrivate, settings) => this.#outbounds.for(allowPrivate, settings),
          shared: (kind) => this.#sharedOf(kind),
          attempted: async (name) => this.#running.get(name)?.source.firstAttempt,
          onSet: (set) => this.#offer(counting(set, counts, isOwn), isOwn),
          onSecrets: (secrets) => this.#secrets.add(secrets),
        },
      );
    const source = asSource(wanted.name, start);
    this.#running.set(wanted.name, { wanted, source, counts });
    return source.firstAttempt;
  }

  #sharedOf<Instance>(kind: new () => Instance): Instance {
    const known = (this.#shared.get(kind) as Instance | undefined) ?? new kind();
    this.#shared.set(kind, known);
    return known;
  }
}

/** The sources that a config wants. */
function wantedIn({ config, directory, placeOf }: LoadedConfig): readonly ConfiguredSource[] {
  const logins = resolve(directory, config.logins.directory);
  return Object.entries(config.sources).map(([name, source]) => ({
    name,
    config: source,
    directory,
    logins,
    placeOf,
  }));
}

/** True if a running source is the wanted one. */
function sameWanted(one: ConfiguredSource | undefined, other: ConfiguredSource): boolean {
  const facts = ({ config, directory, logins }: ConfiguredSource) =>
    JSON.stringify([config, directory, logins]);
  return one !== undefined && facts(one) === facts(other);
}

function isOwnCode({ config }: ConfiguredSource): boolean {
  return definitionOf(config).isOwnCode === true;
}

/** True if both are the same code of the operator, whatever else the config says about it. */
function sameOwnCode(one: ConfiguredSource | undefined, other: ConfiguredSource): boolean {
  const facts = ({ config, directory }: ConfiguredSource) =>
    JSON.stringify([config.kind, referenceOf(config), directory]);
  return isOwnCode(other) && one !== undefined && facts(one) === facts(other);
}

/** Waits for work until the time is over or the signal aborts. */
async function atMost(milliseconds: number, signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const given = AbortSignal.any([signal, done.signal]);
  await Promise.race([work, sleep(milliseconds, undefined, { signal: given }).catch(() => {})]);
  done.abort();
}
