import { OAuthError, OAuthErrorCode, type OAuthTokens } from "@modelcontextprotocol/client";
import { isRecord } from "../../core/index.ts";
import { type BoundKey, isBoundKey } from "./bound-key.ts";

/** The OAuth client of a login. */
export interface LoginClient {
  readonly clientId: string;
  /** From a registration; a configured secret is not kept here. */
  readonly clientSecret?: string | undefined;
  /** The authentication method of its registration. */
  readonly method?: string | undefined;
}

/** The result of a login: the issuer, the server and the tokens. */
export interface Login {
  /** New for each login. */
  readonly id: string;
  /** The server of the login. */
  readonly server: string;
  readonly issuer: string;
  readonly resource?: string | undefined;
  readonly client: LoginClient;
  /** The key that the tokens are bound to, if they are. */
  readonly key?: BoundKey | undefined;
  /** The requested scopes; the granted ones may differ. */
  readonly scopes: readonly string[];
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly obtainedAt: number;
  readonly expiresAt?: number | undefined;
}

/** The store of one source's login. Several processes may use it. */
export interface LoginStore {
  read(): Promise<Login | undefined>;
  /** Runs work that changes the login, one at a time among all processes. */
  exclusively<Result>(
    work: (login: Login | undefined, save: (login: Login) => Promise<void>) => Promise<Result>,
  ): Promise<Result>;
}

/** Thrown by a store that cannot be read or written; the message says what to do. */
export class LoginStoreError extends Error {
  override readonly name = "LoginStoreError";
}

/** A token is renewed this long before it ends, or at half of a shorter life. */
const MARGIN_MS = 60_000;

/** True when it is time to renew the access token. */
export function isDue({ obtainedAt, expiresAt }: Login, now: number): boolean {
  if (expiresAt === undefined) return false;
  const life = expiresAt - obtainedAt;
  return now >= obtainedAt + Math.max(life - MARGIN_MS, life / 2);
}

/** True when the access token has expired. */
export function isOver({ expiresAt }: Login, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

/** A stored login; undefined for anything else. */
export function loginFrom(value: unknown): Login | undefined {
  if (!isRecord(value) || !isRecord(value.client)) return undefined;
  const {
    id,
    server,
    issuer,
    resource,
    client,
    key,
    scopes,
    accessToken,
    refreshToken,
    obtainedAt,
    expiresAt,
  } = value;
  const texts = [id, server, issuer, accessToken, client.clientId];
  const maybeTexts = [resource, refreshToken, client.clientSecret, client.method];
  const isUsable =
    texts.every((text) => typeof text === "string") &&
    maybeTexts.every((text) => text === undefined || typeof text === "string") &&
    (key === undefined || isBoundKey(key)) &&
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === "string") &&
    typeof obtainedAt === "number" &&
    (expiresAt === undefined || typeof expiresAt === "number");
  return isUsable ? (value as unknown as Login) : undefined;
}

/** The part of a login that comes from the token endpoint. */
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

/** A client as the SDK takes it. */
export function toClientInformation({ clientId, clientSecret, method }: LoginClient) {
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

/** The code of an authorization server's refusal; undefined for a failure that may pass. */
export function refusalIn(error: unknown): string | undefined {
  if (!(error instanceof OAuthError) || PASSING.includes(error.code)) return undefined;
  // Only the code is quoted: the rest may be anything.
  return /^[a-z_]{1,40}$/.test(error.code) ? error.code : "an error";
}
