import { OAuthError, OAuthErrorCode, type OAuthTokens } from "@modelcontextprotocol/client";
import type { Login, LoginClient } from "./login.ts";

/** The part of a login that an answer of the token endpoint brings. */
export function fromTokens(
  tokens: OAuthTokens,
  now: number,
): Pick<Login, "accessToken" | "refreshToken" | "obtainedAt" | "expiresAt"> {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = tokens;
  return {
    accessToken,
    obtainedAt: now,
    expiresAt: seconds === undefined ? undefined : now + seconds * 1_000,
    ...(refreshToken !== undefined && { refreshToken }),
  };
}

/** A client as the SDK's functions take it. */
export function clientInformation({ clientId, clientSecret, method }: LoginClient) {
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
}

const PASSING: readonly string[] = [
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
];

/** The code by which an authorization server refused for good; undefined for what may pass. */
export function refusalIn(error: unknown): string | undefined {
  if (!(error instanceof OAuthError) || PASSING.includes(error.code)) return undefined;
  // The rest of what it says may be anything.
  return /^[a-z_]{1,40}$/.test(error.code) ? error.code : "an error";
}
