import type { DpopSession } from "@modelcontextprotocol/client";

/** A valid token and its login: a session that one login began must not continue with another. */
export interface HeldToken {
  readonly token: string;
  readonly login: string;
  /** Signs each request, if the token is bound to a key (RFC 9449). */
  readonly dpop?: DpopSession | undefined;
}

/** The challenge of a server that refused a request (RFC 6750, RFC 9728). */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scopes: readonly string[];
  /** The token is valid, but lacks scopes. */
  readonly lacksScopes: boolean;
  /** The server asks for a token that is bound to a key, refuses the proof of the key, or its nonce (RFC 9449). */
  readonly dpop?: "wanted" | "refused" | "nonce";
}

/** A credential whose tokens expire and are renewed. */
export interface OauthCredential {
  /** The current token; undefined if the server has not asked for one yet. */
  token(): Promise<HeldToken | undefined>;
  /** A token in place of a refused one. Throws an AuthorizationFailure if there is none. */
  renew(refused: HeldToken | undefined, challenge: Challenge): Promise<HeldToken>;
  /** The error if the new token is refused as well. */
  giveUp(challenge: Challenge): AuthorizationFailure;
  /** Values to redact. */
  secrets(): readonly string[];
}

interface AuthorizationFailureOptions {
  /** Scopes that another login would need. */
  readonly scopes?: readonly string[] | undefined;
  readonly cause?: unknown;
}

/**
 * Thrown if there is no token and only the operator can help. The message says what to do; it quotes nothing of a server
 * but plain scopes.
 */
export class AuthorizationFailure extends Error {
  override readonly name = "AuthorizationFailure";
  /** A login helps. */
  readonly needsLogin: boolean;
  readonly scopes: readonly string[];

  constructor(
    message: string,
    needsLogin: boolean,
    { scopes = [], cause }: AuthorizationFailureOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.needsLogin = needsLogin;
    this.scopes = scopes;
  }
}

/** The failure of a request that a server refuses because of the key of its token; undefined for any other. */
export function boundTokenRefused(
  name: string,
  { dpop }: Challenge,
  isBound: boolean,
): AuthorizationFailure | undefined {
  if (dpop === undefined || (dpop !== "refused" && isBound)) return undefined;
  const why = isBound
    ? "the server refuses the proof of the token's key (DPoP). Check the clock of this machine."
    : `the server takes only tokens that are bound to a key (DPoP). Set dpop: true in sources.${name}.oauth.`;
  return new AuthorizationFailure(`${name}: ${why}`, false);
}

/** The failure of an authorization server that binds tokens to no key, although the operator asks for it. */
export function tokenNotBound(name: string): AuthorizationFailure {
  return new AuthorizationFailure(
    `${name}: the authorization server gave a token that is not bound to a key, so it was not used. Remove sources.${name}.oauth.dpop if such tokens will do.`,
    false,
  );
}

/** Thrown in a session that another login began. */
export class LoginChanged extends Error {
  override readonly name = "LoginChanged";
}

/** The scopes in a list separated by spaces (RFC 6749, section 3.3). */
export function scopesIn(text: string | undefined): readonly string[] {
  return text?.split(" ").filter((scope) => scope !== "") ?? [];
}

/** Characters of scopes in practice; the grammar also allows characters that a shell would run. */
const PLAIN = /^[A-Za-z0-9_:./+@*~,=-]{1,200}$/;
const MOST = 100;

/** The scopes that people can copy into a command line; others are left out. */
export function plainScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => PLAIN.test(scope)).slice(0, MOST);
}

/** Each scope once, in order of first appearance. */
export function scopesOf(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** True if all scopes are among the others. */
export function areAmong(scopes: readonly string[], others: readonly string[]): boolean {
  return scopes.every((scope) => others.includes(scope));
}
