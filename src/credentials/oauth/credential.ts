/** A token that is good now, and which login it comes from: another one must not go on with what this one began. */
export interface HeldToken {
  readonly token: string;
  readonly login: string;
}

/** What a server says about a request that it refused (RFC 6750, RFC 9728). */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scopes: readonly string[];
  /** The token is good, but not for this. */
  readonly lacksScopes: boolean;
}

/** A credential whose tokens end and are renewed. */
export interface OauthCredential {
  /** The token to present now; undefined where the server has not asked for one yet. */
  token(): Promise<HeldToken | undefined>;
  /** Another token than the one that was refused. Throws an AuthorizationFailure where there is none to be had. */
  renew(refused: HeldToken | undefined, challenge: Challenge): Promise<HeldToken>;
  /** Told that a token which was just got is refused as well; answers why there is no way on. */
  giveUp(challenge: Challenge): AuthorizationFailure;
  /** What must never be told. */
  secrets(): readonly string[];
}

/** What an AuthorizationFailure may carry beside its message. */
interface AuthorizationFailureOptions {
  /** Scopes with which logging in again would help. */
  readonly scopes?: readonly string[] | undefined;
  readonly cause?: unknown;
}

/**
 * Thrown where there is no token, and only the operator can help. The message says what to do; of what a server said it
 * repeats scopes at most, and only plain ones.
 */
export class AuthorizationFailure extends Error {
  override readonly name = "AuthorizationFailure";
  /** Whether logging in helps. */
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

/** Thrown within a session that another login began. */
export class LoginChanged extends Error {
  override readonly name = "LoginChanged";
}

/** The scopes in a text that has them one after the other (RFC 6749, section 3.3). */
export function scopesIn(text: string | undefined): readonly string[] {
  return text?.split(" ").filter((scope) => scope !== "") ?? [];
}

/** What scopes are made of in practice; the grammar also allows what a shell would run. */
const PLAIN = /^[A-Za-z0-9_:./+@*~,=-]{1,200}$/;
const MOST = 100;

/** The scopes of a server that can be shown to people, who may copy them into a command line; others are left out. */
export function plainScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => PLAIN.test(scope)).slice(0, MOST);
}

/** Each scope once, in the order in which they first come. */
export function scopesOf(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** Whether all of them are among the others. */
export function areAmong(scopes: readonly string[], others: readonly string[]): boolean {
  return scopes.every((scope) => others.includes(scope));
}
