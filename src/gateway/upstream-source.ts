import type { KeptSource, SourceSet } from "../core/index.ts";
import type { Outbound } from "../outbound/index.ts";
import type { Config } from "./config/index.ts";
import {
  capabilitiesOf,
  resolveSourceSecrets,
  type SourceSecrets,
  sameSecrets,
} from "./credentials/index.ts";
import { documentHeadersOf } from "./document-headers.ts";
import type { GatewayLog } from "./log.ts";
import { createDocumentLoader, MAX_DOCUMENT_BYTES } from "./openapi-document.ts";
import { packageVersion } from "./version.ts";

type SourceConfig = Config["sources"][string];

/** A source that a config names, with its secrets at hand. */
export interface Wanted {
  readonly name: string;
  readonly config: SourceConfig;
  /** What files are relative to. */
  readonly directory: string;
  readonly secrets: SourceSecrets;
}

/** What every kind of upstream can do. */
export interface UpstreamSource extends Omit<KeptSource, "missed"> {
  /** How often a lost connection was made anew, where connections last. */
  reconnects?(): number;
}

/** What an upstream is started with. */
export interface StartSurroundings {
  readonly log: GatewayLog;
  /** The way out for a source; `maxResponseBytes` where the usual limit does not fit. */
  readonly outbound: (allowPrivate: boolean, maxResponseBytes?: number) => Outbound;
  readonly onSet: (set: SourceSet) => void;
}

/** The source as the config wants it, if it is an upstream; throws where a secret is missing. */
export function toWanted(name: string, config: SourceConfig, directory: string): readonly Wanted[] {
  if (config.mcp === undefined && config.openapi === undefined) return [];
  const secrets = resolveSourceSecrets(config, { directory, env: process.env });
  return [{ name, config, directory, secrets }];
}

/** Whether a running source is the one that is wanted. */
export function sameWanted(one: Wanted | undefined, other: Wanted): boolean {
  const facts = ({ config, directory }: Wanted) => JSON.stringify([config, directory]);
  return one !== undefined && facts(one) === facts(other) && sameSecrets(one.secrets, other.secrets);
}

/** Starts to import an upstream. What its kind needs is loaded only now. */
export async function startUpstream(
  wanted: Wanted,
  surroundings: StartSurroundings,
): Promise<UpstreamSource> {
  return wanted.config.mcp === undefined
    ? startOpenapi(wanted, surroundings)
    : startMcp(wanted, wanted.config.mcp, surroundings);
}

async function startMcp(wanted: Wanted, url: string, { log, outbound, onSet }: StartSurroundings) {
  const { createMcpSource } = await import("../adapters/from-mcp/index.ts");
  const { trustAnnotations, relayQuestions, refreshMs, allowPrivate } = wanted.config;
  const options = {
    ...commonOptions(wanted),
    url: new URL(url),
    token: wanted.secrets.discovery.token,
    trustAnnotations,
    relayQuestions,
    refreshMs,
    outbound: outbound(allowPrivate),
    version: packageVersion(),
    log,
  };
  return createMcpSource(options, onSet);
}

async function startOpenapi(wanted: Wanted, { log, outbound, onSet }: StartSurroundings) {
  const { createOpenapiSource } = await import("../adapters/from-openapi/index.ts");
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

function commonOptions({ name, config, secrets }: Wanted) {
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
