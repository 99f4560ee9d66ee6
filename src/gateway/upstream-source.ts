import { Capabilities, type SourceSet } from "../core/index.ts";
import type { Outbound } from "../outbound/index.ts";
import { type Config, resolveSecret, type SecretReference } from "./config/index.ts";
import type { GatewayLog } from "./log.ts";
import { createDocumentLoader, MAX_DOCUMENT_BYTES } from "./openapi-document.ts";
import { packageVersion } from "./version.ts";

type SourceConfig = Config["sources"][string];

/** Keys of a source that hold secrets; they are also the names under which capabilities hold them. */
const SECRETS = ["token", "username", "password", "apiKey", "clientId", "clientSecret"] as const;

/** A source that a config names, with its secrets at hand. */
export interface Wanted {
  readonly name: string;
  readonly config: SourceConfig;
  /** What files are relative to. */
  readonly directory: string;
  readonly secrets: Readonly<Record<string, string>>;
}

/** What every kind of upstream can do. */
export interface UpstreamSource {
  readonly firstAttempt: Promise<void>;
  refresh(): Promise<void>;
  close(): Promise<void>;
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
  const resolved = SECRETS.flatMap((key) => {
    const reference: SecretReference | undefined = config[key];
    return reference ? [[key, resolveSecret(reference, { directory, env: process.env })] as const] : [];
  });
  return [{ name, config, directory, secrets: Object.fromEntries(resolved) }];
}

/** Whether a running source is the one that is wanted. */
export function sameWanted(one: Wanted | undefined, other: Wanted): boolean {
  const facts = ({ config, secrets, directory }: Wanted) => JSON.stringify([config, secrets, directory]);
  return one !== undefined && facts(one) === facts(other);
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
  const { trustAnnotations, refreshMs, allowPrivate } = wanted.config;
  const options = {
    ...commonOptions(wanted),
    url: new URL(url),
    token: wanted.secrets.token,
    trustAnnotations,
    refreshMs,
    outbound: outbound(allowPrivate),
    version: packageVersion(),
    log,
  };
  return createMcpSource(options, onSet);
}

async function startOpenapi(wanted: Wanted, { log, outbound, onSet }: StartSurroundings) {
  const { createOpenapiSource } = await import("../adapters/from-openapi/index.ts");
  const { openapi = "", server, headers, operations, refreshMs, allowPrivate } = wanted.config;
  const options = {
    ...commonOptions(wanted),
    load: createDocumentLoader({
      reference: openapi,
      directory: wanted.directory,
      outbound: outbound(allowPrivate, MAX_DOCUMENT_BYTES),
    }),
    server: server === undefined ? undefined : new URL(server),
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
    ...(Object.keys(secrets).length > 0 && { capabilities: () => new Capabilities(secrets) }),
    external: [config.external].flat().map(String),
    scopes,
    public: config.public,
    timeoutMs,
  };
}
