import type {
  BrokenRule,
  KindOfSource,
  LoadedConfig,
  RemoteSource,
  SourceConfig,
} from "../../config/index.ts";
import type {
  ImportError,
  KeptSource,
  Log,
  Registration,
  SourceOptions,
  SourceSet,
} from "../../core/index.ts";
import {
  capabilitiesOf,
  type FindSecret,
  ownSecretValues,
  type SourceSecrets,
} from "../../credentials/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import type { Inspected, InspectOptions } from "./inspect.ts";

/** A source that a config names. */
export interface Wanted<Config extends SourceConfig = SourceConfig> {
  readonly name: string;
  readonly config: Config;
  /** What files are relative to. */
  readonly directory: string;
  /** Where logins are kept. */
  readonly logins: string;
  readonly placeOf: LoadedConfig["placeOf"];
}

/** A source that can be started: its secrets are resolved. */
export interface Startable<Config extends SourceConfig = SourceConfig> extends Wanted<Config> {
  readonly secrets: SourceSecrets;
}

/** A source that runs. */
export interface UpstreamSource extends Omit<KeptSource, "missed"> {
  /** How often a lost connection was made anew, where connections last. */
  reconnects?(): number;
  /** Since when it is connected, where connections last. */
  connectedSince?(): number | undefined;
  /** Secrets that it obtained by itself. */
  secrets?(): readonly string[];
}

/** What a source is started with. */
export interface StartSurroundings {
  readonly log: Log;
  /** The id of this node. */
  readonly nodeId: string;
  /** The way out for a source; `maxResponseBytes` where the usual limit does not fit. */
  readonly outbound: (allowPrivate: boolean, maxResponseBytes?: number) => Outbound;
  /** What the sources of one gateway share: the one instance of a class, which outlives each of them. */
  readonly shared: <Instance>(kind: new () => Instance) => Instance;
  /** Settles when the first attempt of another source of the config has ended. */
  readonly attempted: (source: string) => Promise<void>;
  readonly onSet: (set: SourceSet) => void;
}

/** Whether the service behind a source answers. */
export interface Probed {
  /** The beginning of a sentence about a source that works. */
  readonly answers?: string;
  /** Why calls will fail although the source can be imported. */
  readonly problem?: string;
}

/**
 * A kind of source: its keys in a config, and all that differs from kind to kind. What is heavy is loaded when a source
 * of the kind is started or inspected.
 */
export interface SourceDefinition<Config extends SourceConfig = SourceConfig> extends KindOfSource {
  readonly kind: Config["kind"];
  /** The operator's own code: started first, not locked, and there as soon as it is named. */
  readonly isOwnCode?: true;
  /** It is read from a file, which may have changed when a config is read again. */
  readonly isFile?: true;
  /** Rules that the keys cannot express; `sources` are all that the config has. */
  rules(config: Config, sources: Readonly<Record<string, SourceConfig>>): readonly BrokenRule[];
  /** Its secrets, by the references that the config has. */
  secrets(config: Config, find: FindSecret): SourceSecrets;
  /** Where it may send requests, as far as the config says. */
  addresses(config: Config): readonly (string | undefined)[];
  /** Starts to import it. */
  start(wanted: Startable<Config>, surroundings: StartSurroundings): Promise<UpstreamSource>;
  /** Whether a reference can only be one of this kind. */
  claims(reference: string): boolean;
  /** Looks once at what a reference would bring in, for `pinhole add`. */
  inspect(options: InspectOptions): Promise<Inspected>;
  /** Whether the service answers where its calls go, for `pinhole doctor`. */
  probe?(config: Config, registrations: readonly Registration[]): Promise<Probed>;
  /** What to do about a source that cannot be imported; undefined where the usual advice is right. */
  advise(config: Config, failure: Failed): string | undefined;
}

/** A source that could not be imported. */
export interface Failed {
  readonly name: string;
  readonly code: ImportError["code"];
}

/** Defines a kind of source. One line in `src/adapters/index.ts` makes it one that a config can name. */
export function defineSource<Config extends SourceConfig>(
  definition: SourceDefinition<Config>,
): SourceDefinition<Config> {
  return Object.freeze(definition);
}

/** The address or file that a source is read from: the key that has the name of its kind. */
export function referenceOf(config: SourceConfig): string {
  return String((config as Readonly<Record<string, unknown>>)[config.kind]);
}

/** What the config says about an imported source, whatever its kind. */
export function sourceOptionsOf({
  name,
  config,
  secrets,
}: Startable<SourceConfig & { readonly timeoutMs: number }>): SourceOptions & {
  readonly secrets: () => readonly string[];
} {
  const own = ownSecretValues(secrets);
  const { title, description, scopes, timeoutMs, operations } = config;
  return {
    name,
    title,
    description,
    capabilities: capabilitiesOf(name, secrets),
    secrets: () => own,
    external: [config.external ?? []].flat().map(String),
    scopes,
    public: config.public,
    operations,
    timeoutMs,
  };
}

/** What to do about a source that was refused and has no credential yet. */
export function adviseOnCredential(
  { token, credentials }: Pick<RemoteSource, "token" | "credentials">,
  { name, code }: Failed,
): string | undefined {
  if (code !== "UNAUTHORIZED" || token || credentials) return undefined;
  return `Give ${name} a credential: under sources.${name}, token: { env: NAME }`;
}
