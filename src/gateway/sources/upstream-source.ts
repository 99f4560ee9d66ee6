import {
  createDocumentLoader,
  documentHeadersOf,
  MAX_DOCUMENT_BYTES,
} from "../../adapters/from-openapi/index.ts";
import { packageVersion } from "../../config/index.ts";
import type { SourceOptions } from "../../core/index.ts";
import { capabilitiesOf, ownSecretValues, type SourceSecrets } from "../../credentials/index.ts";
import { startPlugin } from "./plugin-source.ts";
import type { Startable, StartSurroundings, UpstreamSource, Wanted } from "./wanted-source.ts";

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
  const { oauthOfSource } = await import("../../credentials/oauth/index.ts");
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
    allowClear: allowPrivate,
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
