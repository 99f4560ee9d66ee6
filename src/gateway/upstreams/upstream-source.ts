import type { KeptSource, SourceOptions, SourceSet } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import type { Config } from "../config/index.ts";
import {
  capabilitiesOf,
  resolveSourceSecrets,
  type SourceSecrets,
  sameSecrets,
} from "../credentials/index.ts";
import { documentHeadersOf } from "../documents/document-headers.ts";
import { createDocumentLoader, MAX_DOCUMENT_BYTES } from "../documents/openapi-document.ts";
import type { GatewayLog } from "../log.ts";
import { packageVersion } from "../version.ts";

type SourceConfig = Config["sources"][string];

/** A source that a config names, with its secrets at hand. */
export interface Wanted {
  readonly name: string;
  readonly config: SourceConfig;
  /** What files are relative to. */
  readonly directory: string;
  /** Where logins are kept. */
  readonly logins: string;
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
  /** The id of this node. */
  readonly nodeId: string;
  /** The way out for a source; `maxResponseBytes` where the usual limit does not fit. */
  readonly outbound: (allowPrivate: boolean, maxResponseBytes?: number) => Outbound;
  readonly onSet: (set: SourceSet) => void;
}

/** The source as the config wants it, if it is an upstream; throws where a secret is missing. */
export function toWanted(
  name: string,
  config: SourceConfig,
  { directory, logins }: Pick<Wanted, "directory" | "logins">,
): readonly Wanted[] {
  if (config.plugin !== undefined) return [];
  const secrets = resolveSourceSecrets(config, { directory, env: process.env });
  return [{ name, config, directory, logins, secrets }];
}

/** Whether a running source is the one that is wanted. */
export function sameWanted(one: Wanted | undefined, other: Wanted): boolean {
  const facts = ({ config, directory, logins }: Wanted) => JSON.stringify([config, directory, logins]);
  return one !== undefined && facts(one) === facts(other) && sameSecrets(one.secrets, other.secrets);
}

/** Starts to import an upstream. What its kind needs is loaded only now. */
export async function startUpstream(
  wanted: Wanted,
  surroundings: StartSurroundings,
): Promise<UpstreamSource> {
  const { mcp, peer } = wanted.config;
  if (peer !== undefined) return startPeer(wanted, peer, surroundings);
  return mcp === undefined ? startOpenapi(wanted, surroundings) : startMcp(wanted, mcp, surroundings);
}

/** What kind of upstream it is, as the config calls it. */
export function kindOf({ mcp, peer }: SourceConfig): string {
  return peer === undefined ? (mcp === undefined ? "openapi" : "mcp") : "peer";
}

async function startPeer(wanted: Wanted, url: string, { log, nodeId, onSet }: StartSurroundings) {
  const { createPeerSource } = await import("../../adapters/from-call/index.ts");
  const { refreshMs, allowPrivate } = wanted.config;
  const { token } = wanted.secrets.discovery;
  const options = { url: new URL(url), token, refreshMs, allowPrivate, nodeId, log };
  return createPeerSource({ ...commonOptions(wanted), ...options }, onSet);
}

async function startMcp(
  wanted: Wanted,
  url: string,
  surroundings: StartSurroundings,
): Promise<UpstreamSource> {
  const { createMcpSource } = await import("../../adapters/from-mcp/index.ts");
  const { log, outbound, onSet } = surroundings;
  const { name, config, secrets } = wanted;
  const { trustAnnotations, relayQuestions, refreshMs, allowPrivate, tokenHeader } = config;
  const oauth = config.oauth && (await oauthFor(wanted, new URL(url), surroundings));
  const options = {
    ...commonOptions(wanted),
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
    secrets: () => oauth.credential.secrets(),
    async close() {
      stopWatching();
      await source.close();
    },
  };
}

async function oauthFor(wanted: Wanted, url: URL, { log, outbound }: StartSurroundings) {
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

async function startOpenapi(wanted: Wanted, { log, outbound, onSet }: StartSurroundings) {
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

function commonOptions({ name, config, secrets }: Wanted): SourceOptions {
  const { title, description, scopes, timeoutMs } = config;
  return {
    name,
    title,
    description,
    capabilities: capabilitiesOf(name, secrets),
    external: [config.external].flat().map(String),
    scopes,
    public: config.public,
    timeoutMs,
  };
}
