import { packageVersion } from "../../config/index.ts";
import { oauthOfSource } from "../../credentials/oauth/index.ts";
import {
  type Startable,
  type StartSurroundings,
  sourceOptionsOf,
  type UpstreamSource,
} from "../source/index.ts";
import type { McpConfig } from "./config.ts";
import { createMcpSource } from "./mcp-source.ts";

/** Starts to import an MCP server. */
export function startMcp(wanted: Startable<McpConfig>, surroundings: StartSurroundings): UpstreamSource {
  const { log, outbound, onSet } = surroundings;
  const { name, config, secrets, logins } = wanted;
  const { trustAnnotations, relayQuestions, refreshMs, allowPrivate, tokenHeader } = config;
  const url = new URL(config.mcp);
  const way = outbound(allowPrivate);
  const oauth =
    config.oauth &&
    oauthOfSource({
      name,
      url,
      oauth: config.oauth,
      clientSecret: secrets.oauthClient,
      logins,
      outbound: way,
      log,
    });
  const common = sourceOptionsOf(wanted);
  const options = {
    ...common,
    secrets: () => [...common.secrets(), ...(oauth?.credential.secrets() ?? [])],
    url,
    token: secrets.discovery.token,
    tokenHeader,
    oauth: oauth?.credential,
    credentialAdvice: config.credentials
      ? `Set or renew sources.${name}.credentials.discovery, by which its list is read.`
      : undefined,
    trustAnnotations,
    relayQuestions,
    refreshMs,
    outbound: way,
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
