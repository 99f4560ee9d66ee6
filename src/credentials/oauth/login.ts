import { OAuthError, OAuthErrorCode, type OAuthTokens } from "@modelcontextprotocol/client";
import { isRecord } from "../../core/index.ts";

/** The client by which somebody logged in. */
export interface LoginClient {
  readonly clientId: string;
  /** What a registration gave; one that is configured is not kept. */
  readonly clientSecret?: string | undefined;
  /** How the client proves itself, where its registration says so. */
  readonly method?: string | undefined;
}

/** What somebody got by logging in: who gave it, what it is for, and the tokens. */
export interface Login {
  /** Differs for each time that somebody logs in. */
  readonly id: string;
  /** The server that it is for. */
  readonly server: string;
  readonly issuer: string;
  readonly resource?: string | undefined;
  readonly client: LoginClient;
  /** What was asked for, which need not be what was given. */
  readonly scopes: readonly string[];
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly obtainedAt: number;
  readonly expiresAt?: number | undefined;
}

/** Where the login of one source is kept. Several processes may use it. */
export interface LoginStore {
  read(): Promise<Login | undefined>;
  /** Does work that changes the login while nobody else does. */
  exclusively<Result>(work: (login: Login | undefined, save: SaveLogin) => Promise<Result>): Promise<Result>;
}

/** Thrown by a store that cannot do what is asked of it; the message says what to do. */
export class LoginStoreError extends Error {
  override readonly name = "LoginStoreError";
}

/** Keeps a login in place of the one before. */
type SaveLogin = (login: Login) => Promise<void>;

/** A token is renewed so long before it ends, or when half of a shorter life is over. */
const MARGIN_MS = 60_000;

/** Whether it is time to renew the access token. */
export function isDue({ obtainedAt, expiresAt }: Login, now: number): boolean {
  if (expiresAt === undefined) return false;
  const life = expiresAt - obtainedAt;
  return now >= obtainedAt + Math.max(life - MARGIN_MS, life / 2);
}

/** Whether the access token can be used no more. */
export function isOver({ expiresAt }: Login, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

/** A login as it was kept; undefined where it is none. */
export function loginFrom(value: unknown): Login | undefined {
  if (!isRecord(value) || !isRecord(value.client)) return undefined;
  const { id, server, issuer, resource, client, scopes, accessToken, refreshToken, obtainedAt, expiresAt } =
    value;
  const texts = [id, server, issuer, accessToken, client.clientId];
  const maybeTexts = [resource, refreshToken, client.clientSecret, client.method];
  const isUsable =
    texts.every((text) => typeof text === "string") &&
    maybeTexts.every((text) => text === undefined || typeof text === "string") &&
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === "string") &&
    typeof obtainedAt === "number" &&
    (expiresAt === undefined || typeof expiresAt === "number");
  return isUsable ? (value as unknown as Login) : undefined;
}

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
