import { AuthorizationFailure, type Challenge, type OauthCredential } from "../../credentials/oauth/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { ConnectionFailure, McpConnection } from "./connection.ts";
import { toImportError } from "./failure-errors.ts";

/** What is needed to ask a server what it wants. */
export interface FindChallengeOptions {
  readonly server: URL;
  readonly outbound: Pick<Outbound, "fetch">;
  readonly version: string;
}

/** Asks a server for its tools without a token, to hear what it wants instead; undefined where it wants nothing. */
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
  const nobody: OauthCredential = {
    token: async () => undefined,
    renew: async (_, challenge) => {
      throw remember(challenge);
    },
    giveUp: remember,
    secrets: () => [],
  };
  const connection = new McpConnection({ url: server, token: undefined, oauth: nobody, outbound, version });
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
