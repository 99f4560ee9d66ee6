import { packageVersion } from "../../config/index.ts";
import { SILENT_LOG } from "../../core/index.ts";
import { AuthorizationFailure, type Challenge, type OauthCredential } from "../../credentials/oauth/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { INSPECTION, type Inspected, type InspectOptions, inspectKept } from "../source/index.ts";
import { ConnectionFailure, McpConnection } from "./connection.ts";
import { toImportError } from "./failure-errors.ts";
import { createMcpSource } from "./start.ts";

/** Looks once at an MCP server, for `pinhole add`. */
export function inspectMcp({
  name,
  reference,
  token,
  outbound,
  patienceMs,
}: InspectOptions): Promise<Inspected> {
  const options = {
    ...INSPECTION,
    name,
    url: new URL(reference),
    token,
    trustAnnotations: false,
    outbound,
    version: packageVersion(),
    log: SILENT_LOG,
  };
  return inspectKept("mcp", { token, patienceMs }, (onSet) => createMcpSource(options, onSet));
}

/** The server to ask. */
export interface FindChallengeOptions {
  readonly server: URL;
  readonly outbound: Pick<Outbound, "fetch">;
  readonly version: string;
}

/** Asks a server for its tools without a token, to get its challenge; undefined if it wants no token. */
export async function findChallenge({
  server,
  outbound,
  version,
}: FindChallengeOptions): Promise<Challenge | undefined> {
  let found: Challenge | undefined;
  const remember = (challenge: Challenge) => {
    found = challenge;
    return new AuthorizationFailure("The server wants a token.", true);
  };
  const anonymous: OauthCredential = {
    token: async () => undefined,
    renew: async (_, challenge) => {
      throw remember(challenge);
    },
    giveUp: remember,
    secrets: () => [],
  };
  const connection = new McpConnection({
    url: server,
    token: undefined,
    oauth: anonymous,
    outbound,
    version,
  });
  try {
    await connection.use((client) => client.request({ method: "tools/list", params: {} }), {
      isRepeatable: true,
    });
  } catch (error) {
    if (found) return found;
    if (!(error instanceof ConnectionFailure)) throw error;
    const url = `${server.origin}${server.pathname}`;
    throw toImportError(error.failure, { url, hasCredential: false });
  } finally {
    await connection.close();
  }
  return found;
}
