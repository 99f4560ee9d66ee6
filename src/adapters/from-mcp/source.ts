import { type BrokenRule, remoteRules, tokensOnly } from "../../config/index.ts";
import { needing } from "../../core/index.ts";
import { secretsOfRemote } from "../../credentials/index.ts";
import { adviseOnCredential, defineSource } from "../source/index.ts";
import { MCP_KEYS, type McpConfig } from "./config.ts";

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
    if (config.oauth) return `Log in: pinhole login ${failure.name}`;
    const advice = adviseOnCredential(config, failure);
    return (
      advice &&
      `${advice}; or oauth: {} if people sign in there with a browser, and then: pinhole login ${failure.name}`
    );
  },
});

function oauthRules({ oauth, tokenHeader }: McpConfig): readonly BrokenRule[] {
  if (!oauth) return [];
  const { grant, clientId, clientSecret } = oauth;
  const broken: BrokenRule[] = [];
  if (tokenHeader !== undefined)
    broken.push({
      keys: ["tokenHeader"],
      message: "tokenHeader is for a token of your own, and oauth gets one. Remove one.",
    });
  if (grant === "client_credentials" && !(clientId && clientSecret))
    broken.push({ keys: ["oauth"], message: "client_credentials needs a clientId and a clientSecret." });
  if (clientSecret && clientId === undefined)
    broken.push({
      keys: ["oauth", "clientSecret"],
      message: "a clientSecret needs a clientId.",
    });
  return broken;
}
