import type { Challenge } from "../../credentials/oauth/index.ts";
import type { FindChallengeOptions } from "./inspect.ts";

export { MCP_SOURCE } from "./source.ts";

/** Asks a server for its tools without a token, to get its challenge; undefined if it wants no token. */
export async function findChallenge(options: FindChallengeOptions): Promise<Challenge | undefined> {
  return (await import("./inspect.ts")).findChallenge(options);
}
