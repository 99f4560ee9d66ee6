import { resolve } from "node:path";
import type { KeptSource, SourceOptions, SourceSet } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import type { Config, LoadedConfig } from "../config/index.ts";
import {
  capabilitiesOf,
  ownSecretValues,
  type SecretsInUse,
  type SourceSecrets,
} from "../credentials/index.ts";
import { documentHeadersOf } from "../documents/document-headers.ts";
import { createDocumentLoader, MAX_DOCUMENT_BYTES } from "../documents/openapi-document.ts";
import type { GatewayLog } from "../log.ts";
import type { PluginModules } from "../plugins.ts";
import { packageVersion } from "../version.ts";
import { startPlugin } from "./plugin-source.ts";

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

/** Starts to import an upstream. What its kind needs is loaded only now. */
export async function startUpstream(
  wanted: Wanted,
  secrets: SourceSecrets,
  surroundings: StartSurroundings,
): Promise<UpstreamSource> {
  const { mcp, peer, plugin } = wanted.config;
  const startable = { ...wanted, secrets };
  if (plugin !== undefined) return startPlugin(startable, plugin, surroundings);
  if (peer !== undefined) return startPeer(startable, peer, surroundings);
  return mcp === undefined ? startOpenapi(startable, surroundings) : startMcp(startable, mcp, surroundings);
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

async function startPeer(wanted: Startable, url: string, { log, nodeId, onSet }: StartSurroundings) {
  const { createPeerSource } = await import("../../adapters/from-call/index.ts");
  const { refreshMs, allowPrivate } = wanted.config;
  const { token } = wanted.secrets.discovery;
  const options = { url: new URL(url), token, refreshMs, allowPrivate, nodeId, log };
  return createPeerSource({ ...commonOptions(wanted), ...options }, onSet);
}

async function startMcp(
  wanted: Startable,
  url: string,
  surroundings: StartSurroundings,
): Promise<UpstreamSource> {
  const { createMcpSource } = await import("../../adapters/from-mcp/index.ts");
  const { log, outbound, onSet } = surroundings;
  const { name, config, secrets } = wanted;
  const { trustAnnotations, relayQuestions, refreshMs, allowPrivate, tokenHeader } = config;
  const oauth = config.oauth && (await oauthFor(wanted, new URL(url), surroundings));
  const common = commonOptions(wanted);
  const options = {
    ...common,
    secrets: () => [...common.secrets(), ...(oauth?.credential.secrets() ?? [])],
    url: new URL(url),
    token: secrets.discovery.token,
    tokenHeader,
    oauth: oauth?.credential,
    credentialAdvice: config.credentials
      ? `Set or renew sources.${name}.credentials.discovery, by which its list is read.`
      : undefined,
    trustAnnotations,
    relayQuestions,
    refreshMs,
    outbound: outbound(allowPrivate),
    version: packageVersion(),
    log,
  };
  const source = createMcpSource(options, onSet);
  if (!oauth) return source;
  const stopWatching = oauth.watch(() => void source.refresh());
  return {
    ...source,
    secrets: options.secrets,
    async close() {
      stopWatching();
      await source.close();
    },
  };
}

async function oauthFor(wanted: Startable, url: URL, { log, outbound }: StartSurroundings) {
  const { oauthOfSource } = await import("../logins/index.ts");
  const { name, config, logins, secrets } = wanted;
  if (!config.oauth) return undefined;
  return oauthOfSource({
    name,
    url,
    oauth: config.oauth,
    clientSecret: secrets.oauthClient,
    logins,
    outbound: outbound(config.allowPrivate),
    log,
  });
}

async function startOpenapi(wanted: Startable, { log, outbound, onSet }: StartSurroundings) {
  const { createOpenapiSource } = await import("../../adapters/from-openapi/index.ts");
  const {
    openapi = "",
    server,
    headers,
    operations,
    variables,
    apiKeys,
    refreshMs,
    allowPrivate,
  } = wanted.config;
  const options = {
    ...commonOptions(wanted),
    load: createDocumentLoader({
      reference: openapi,
      directory: wanted.directory,
      outbound: outbound(allowPrivate, MAX_DOCUMENT_BYTES),
      headers: documentHeadersOf(wanted.config, wanted.secrets.discovery),
    }),
    server: server === undefined ? undefined : new URL(server),
    variables,
    apiKeys: Object.keys(apiKeys),
    headers,
    operations,
    refreshMs,
    outbound: outbound(allowPrivate),
    log,
  };
  return createOpenapiSource(options, onSet);
}

function commonOptions({
  name,
  config,
  secrets,
}: Startable): SourceOptions & { readonly secrets: () => readonly string[] } {
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
