import type {
  BrokenRule,
  KindOfSource,
  LoadedConfig,
  RemoteSource,
  SourceConfig,
} from "../../config/index.ts";
import {
  type ImportError,
  isRecord,
  type KeptSource,
  type Log,
  type Registration,
  type SourceOptions,
  type SourceSet,
} from "../../core/index.ts";
import {
  capabilitiesOf,
  type FindSecret,
  ownSecretValues,
  type SourceSecrets,
} from "../../credentials/index.ts";
import type { Outbound, OutboundOptions } from "../../outbound/index.ts";
import type { Inspected, InspectOptions } from "./inspect.ts";

/** A source of a config. */
export interface ConfiguredSource<Config extends SourceConfig = SourceConfig> {
  readonly name: string;
  readonly config: Config;
  /** The directory that file names are relative to. */
  readonly directory: string;
  /** The directory of logins. */
  readonly logins: string;
  readonly placeOf: LoadedConfig["placeOf"];
}

/** A source with its secrets resolved, ready to start. */
export interface Startable<Config extends SourceConfig = SourceConfig> extends ConfiguredSource<Config> {
  readonly secrets: SourceSecrets;
}

/** A running source. */
export interface UpstreamSource extends Omit<KeptSource, "missed"> {
  /** Number of reconnects, for kinds with lasting connections. */
  reconnects?(): number;
  /** Time of the connection, for kinds with lasting connections. */
  connectedSince?(): number | undefined;
}

/** The gateway as a source sees it. */
export interface StartSurroundings {
  readonly log: Log;
  /** The id of this node. */
  readonly nodeId: string;
  /** The outbound client of a source; sources that want the same settings share one. */
  readonly outbound: (
    allowPrivate: boolean,
    settings?: Pick<OutboundOptions, "maxResponseBytes" | "tls">,
  ) => Outbound;
  /** The one instance of a class that all sources of the gateway share; it outlives each of them. */
  readonly shared: <Instance>(kind: new () => Instance) => Instance;
  /** Settles when the first attempt of another source of the config has ended. */
  readonly attempted: (source: string) => Promise<void>;
  /** Follow changes of files; a command that only looks does not. */
  readonly watch: boolean;
  readonly onSet: (set: SourceSet) => void;
  /** Is told of every secret that the source obtains by itself, before the secret is used. */
  readonly onSecrets: (secrets: readonly string[]) => void;
}

/** Result of a request to the service behind a source. */
export interface Probed {
  /** The beginning of a sentence about a source that works. */
  readonly answers?: string;
  /** The reason why calls will fail although the source can be imported. */
  readonly problem?: string;
}

/**
 * A kind of source: its keys in a config, and everything that differs from kind to kind. Heavy parts are loaded when a
 * source of the kind is started or inspected.
 */
export interface SourceDefinition<Config extends SourceConfig = SourceConfig> extends KindOfSource {
  readonly kind: Config["kind"];
  /** The operator's own code: started first, without a lock, and available as soon as the config names it. */
  readonly isOwnCode?: true;
  /** Read from a file, which may have changed when the config is read again. */
  readonly isFile?: true;
  /** Rules that the keys cannot express; `sources` are all that the config has. */
  rules(config: Config, sources: Readonly<Record<string, SourceConfig>>): readonly BrokenRule[];
  /** Its secrets, by the references in the config. */
  secrets(config: Config, find: FindSecret): SourceSecrets;
  /** Addresses in the config that it sends requests to. */
  addresses(config: Config): readonly (string | undefined)[];
  /** Starts the import. */
  start(wanted: Startable<Config>, surroundings: StartSurroundings): Promise<UpstreamSource>;
  /** True for a reference that can only be of this kind. */
  claims(reference: string): boolean;
  /** Looks once at the operations of a reference, for `pinhole add`. */
  inspect(options: InspectOptions): Promise<Inspected>;
  /** Asks the service for a sign of life, for `pinhole doctor`. */
  probe?(config: Config, registrations: readonly Registration[]): Promise<Probed>;
  /** Advice on a source that cannot be imported; undefined for the usual advice. */
  advise(config: Config, failure: Failed): string | undefined;
}

/** A source that could not be imported. */
interface Failed {
  readonly name: string;
  readonly code: ImportError["code"];
}

/** Closes what sources shared, as far as it can be closed; all of the sources have been closed before. */
export async function closeShared(shared: Iterable<unknown>, log: Log): Promise<void> {
  const isClosable = (each: unknown): each is { close(log: Log): Promise<void> } =>
    isRecord(each) && typeof each.close === "function";
  await Promise.all([...shared].filter(isClosable).map((each) => each.close(log)));
}

/** Defines a kind of source. A line in `src/adapters/kinds.ts` lets configs name it. */
export function defineSource<Config extends SourceConfig>(
  definition: SourceDefinition<Config>,
): SourceDefinition<Config> {
  return Object.freeze(definition);
}

/** The address or file of a source: the key with the name of its kind. */
export function referenceOf(config: SourceConfig): string {
  return String((config as Readonly<Record<string, unknown>>)[config.kind]);
}

/** The settings of a source that all imported kinds have in common. */
export function sourceOptionsOf({
  name,
  config,
  secrets,
}: Startable<SourceConfig & { readonly timeoutMs: number }>): SourceOptions & {
  /** Absent if it has none, so that its calls need not ask. */
  readonly secrets?: () => readonly string[];
} {
  const own = ownSecretValues(secrets);
  const { title, description, scopes, timeoutMs, operations } = config;
  return {
    name,
    title,
    description,
    capabilities: capabilitiesOf(name, secrets),
    ...(own.length > 0 && { secrets: () => own }),
    external: [config.external ?? []].flat().map(String),
    scopes,
    public: config.public,
    operations,
    timeoutMs,
  };
}

/** Titles and descriptions are part of every overview. */
const MAX_TITLE = 200;

/** Name, title and description of a source: the operator's words, or else those of the server or document. */
export function sourceInfoOf(
  { name, ...stated }: Pick<SourceOptions, "name" | "title" | "description">,
  found: { readonly title: string | undefined; readonly description: string | undefined },
): SourceSet["source"] {
  const title = stated.title ?? found.title?.slice(0, MAX_TITLE);
  const description = stated.description ?? firstSentence(found.description) ?? title;
  return { name, ...(title && { title }), ...(description && { description }) };
}

/** The first sentence below the headings and tags that descriptions often begin with. */
function firstSentence(text: string | undefined): string | undefined {
  const line = text?.split("\n").find((each) => /^[^#\s<]/.test(each));
  return line?.split(/(?<=[.!?])\s/, 1)[0]?.slice(0, MAX_TITLE);
}

/** Advice on a source that was refused and has no credential yet. */
export function adviseOnCredential(
  { token, credentials }: Pick<RemoteSource, "token" | "credentials">,
  { name, code }: Failed,
): string | undefined {
  if (code !== "UNAUTHORIZED" || token || credentials) return undefined;
  return `Give ${name} a credential: under sources.${name}, token: { env: NAME }`;
}
