import { remoteRules, tokensOnly } from "../../config/index.ts";
import { needing } from "../../core/index.ts";
import { secretsOfRemote } from "../../credentials/index.ts";
import { adviseOnCredential, defineSource } from "../source/index.ts";
import { MCP_KEYS, type McpConfig } from "./config.ts";
import { oauthRules } from "./oauth-rules.ts";

const CLIENT_PACKAGE = "@modelcontextprotocol/client";

/** MCP servers that speak streamable HTTP. */
export const MCP_SOURCE = defineSource<McpConfig>({
  kind: "mcp",
  keys: MCP_KEYS,
  rules: (config) => [
    ...remoteRules(config, { mcp: config.mcp }),
    ...tokensOnly(config),
    ...oauthRules(config),
  ],
  secrets: secretsOfRemote,
  addresses: ({ mcp }) => [mcp],
  start: async (wanted, surroundings) => {
    const { startMcp } = await needing(CLIENT_PACKAGE, "An MCP source", () => import("./start.ts"));
    return startMcp(wanted, surroundings);
  },
  // Documents have http addresses too: only a request tells them apart.
  claims: () => false,
  inspect: async (options) => {
    const { inspectMcp } = await needing(CLIENT_PACKAGE, "An MCP source", () => import("./inspect.ts"));
    return inspectMcp(options);
  },
  advise: (config, failure) => {
    if (failure.code !== "UNAUTHORIZED") return undefined;
    if (config.oauth?.grant === "authorization_code") return `Log in: pinhole login ${failure.name}`;
    if (config.oauth) return `Correct sources.${failure.name}.oauth`;
    const advice = adviseOnCredential(config, failure);
    return (
      advice &&
      `${advice}; or oauth: {} if people sign in there with a browser, and then: pinhole login ${failure.name}`
    );
  },
});
