import { resolve } from "node:path";
import type { PluginModules } from "../../adapters/from-plugin/index.ts";
import type { Config, LoadedConfig } from "../../config/index.ts";
import type { KeptSource, SourceSet } from "../../core/index.ts";
import type { SourceSecrets } from "../../credentials/index.ts";
import type { GatewayLog, SecretsInUse } from "../../observe/index.ts";
import type { Outbound } from "../../outbound/index.ts";

type SourceConfig = Config["sources"][string];

/** A source that a config names. */
export interface Wanted {
  readonly name: string;
  readonly config: SourceConfig;
  /** What files are relative to. */
  readonly directory: string;
  /** Where logins are kept. */
  readonly logins: string;
  readonly placeOf: LoadedConfig["placeOf"];
}

/** A source that can be started: its secrets are at hand. */
export interface Startable extends Wanted {
  readonly secrets: SourceSecrets;
}

/** What every kind of upstream can do. */
export interface UpstreamSource extends Omit<KeptSource, "missed"> {
  /** How often a lost connection was made anew, where connections last. */
  reconnects?(): number;
  /** Since when it is connected, where connections last. */
  connectedSince?(): number | undefined;
  /** Secrets that it got by itself. */
  secrets?(): readonly string[];
}

/** What an upstream is started with. */
export interface StartSurroundings {
  readonly log: GatewayLog;
  /** Told of all secrets that come into use. */
  readonly secrets: SecretsInUse;
  /** The id of this node. */
  readonly nodeId: string;
  /** The way out for a source; `maxResponseBytes` where the usual limit does not fit. */
  readonly outbound: (allowPrivate: boolean, maxResponseBytes?: number) => Outbound;
  readonly plugins: PluginModules;
  readonly onSet: (set: SourceSet) => void;
}

/** The sources that a config wants. */
export function wantedIn(loaded: LoadedConfig): readonly Wanted[] {
  const { config, directory, placeOf } = loaded;
  const logins = resolve(directory, config.logins.directory);
  return Object.entries(config.sources).map(([name, source]) => ({
    name,
    config: source,
    directory,
    logins,
    placeOf,
  }));
}

/** Whether a running source is the one that is wanted. */
export function sameWanted(one: Wanted | undefined, other: Wanted): boolean {
  const facts = ({ config, directory, logins }: Wanted) => JSON.stringify([config, directory, logins]);
  return one !== undefined && facts(one) === facts(other);
}

/** What kind of source it is, as the config calls it. */
export function kindOf(config: SourceConfig): string {
  return KINDS.find((kind) => config[kind] !== undefined) ?? "";
}

const KINDS = ["mcp", "openapi", "peer", "plugin"] as const;

/** Whether both are the same plugin, whatever else the config says about it. */
export function samePlugin(one: Wanted | undefined, { config, directory }: Wanted): boolean {
  const { plugin } = config;
  return plugin !== undefined && one?.config.plugin === plugin && one.directory === directory;
}
