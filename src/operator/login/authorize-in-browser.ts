import { randomBytes, randomUUID } from "node:crypto";
import {
  type DpopSession,
  exchangeAuthorization,
  IssuerMismatchError,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { findChallenge } from "../../adapters/from-mcp/index.ts";
import type { Login, LoginClient, LoginStore } from "../../credentials/oauth/index.ts";
import {
  AuthorizationFailure,
  type AuthorizationServer,
  clientFor,
  createBoundKey,
  findAuthorizationServer,
  fromTokens,
  isBound,
  metadataFetch,
  type ProtectedServer,
  refusalIn,
  scopesOf,
  sessionWith,
  toClientInformation,
  tokenNotBound,
  withSignal,
} from "../../credentials/oauth/index.ts";
import { listenForRedirect } from "./redirect-listener.ts";

interface LogInOptions extends ProtectedServer {
  readonly store: LoginStore;
  /** The configured client; a client id that is an address points to its metadata. */
  readonly client: LoginClient | undefined;
  /** True if the tokens are to be bound to a key. */
  readonly dpop?: boolean | undefined;
  /** Override the scopes that the server names. */
  readonly scopes: readonly string[];
  /** Port on this machine that the browser is redirected to; 0 for any. */
  readonly redirectPort: number;
  readonly version: string;
  /** Stops the wait. */
  readonly signal: AbortSignal;
  /** Shows the address to open. */
  readonly show: (address: URL) => void;
}

/**
 * Lets a person log in with a browser (authorization code with PKCE) and stores the tokens. The browser must return with
 * the state that it was sent with, from the authorization server that it was sent to (RFC 9207).
 */
export async function logIn(options: LogInOptions): Promise<Login> {
  const { server, store } = options;
  const challenge = await findChallenge(options);
  const found = await findAuthorizationServer(options, challenge);
  const asked = challenge && challenge.scopes.length > 0 ? challenge.scopes : found.scopes;
  const scopes = withOfflineAccess(options.scopes.length > 0 ? options.scopes : asked, found);

  const state = randomBytes(32).toString("base64url");
  const listener = await listenForRedirect(options.redirectPort, state);
  let isDone = false;
  try {
    const { redirectUrl } = listener;
    const client = await clientFor(found, { ...options, redirectUrl, scopes });
    const { authorizationUrl, codeVerifier } = await startAuthorization(found.issuer, {
      metadata: found.metadata,
      clientInformation: toClientInformation(client),
      redirectUrl,
      state,
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      ...(found.resource !== undefined && { resource: found.resource }),
    });
    const key = options.dpop ? await createBoundKey() : undefined;
    const session = key && (await sessionWith(key));
    // A code that is stolen on its way cannot be redeemed with another key (RFC 9449, section 10).
    if (session) authorizationUrl.searchParams.set("dpop_jkt", session.thumbprint);
    options.show(authorizationUrl);
    const parameters = await withSignal(listener.arrived, options.signal).catch(() => {
      throw new AuthorizationFailure(`${options.name}: the login was not finished in time.`, true);
    });
    const tokens = await redeem(parameters, { found, client, codeVerifier, redirectUrl, session, options });
    if (key && !isBound(tokens)) throw tokenNotBound(options.name);
    const login: Login = {
      id: randomUUID(),
      server: server.href,
      issuer: found.issuer,
      ...(found.resource !== undefined && { resource: found.resource }),
      // The secret of a configured client stays where it is configured.
      client: options.client === client ? { clientId: client.clientId } : client,
      ...(key && { key }),
      scopes,
      ...fromTokens(tokens, Date.now()),
    };
    await store.exclusively((_, save) => save(login));
    isDone = true;
    return login;
  } finally {
    await listener.close(isDone);
  }
}

interface Redeeming {
  readonly found: AuthorizationServer;
  readonly client: LoginClient;
  readonly codeVerifier: string;
  readonly redirectUrl: string;
  readonly session: DpopSession | undefined;
  readonly options: LogInOptions;
}

/** Exchanges the code from the browser for tokens, if it comes from the right authorization server. */
async function redeem(
  parameters: URLSearchParams,
  { found, client, codeVerifier, redirectUrl, session, options: { name, outbound } }: Redeeming,
) {
  const { metadata, issuer, resource } = found;
  const iss = parameters.get("iss") ?? undefined;
  try {
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
    const code = parameters.get("code");
    if (code === null) throw refused(name, parameters.get("error"));
    return await exchangeAuthorization(issuer, {
      metadata,
      clientInformation: toClientInformation(client),
      authorizationCode: code,
      ...(iss !== undefined && { iss }),
      codeVerifier,
      redirectUri: redirectUrl,
      ...(session && { dpop: session }),
      ...(resource !== undefined && { resource }),
      fetchFn: metadataFetch(outbound),
    });
  } catch (error) {
    if (error instanceof IssuerMismatchError)
      throw new AuthorizationFailure(
        `${name}: the answer is not from the authorization server that was asked (RFC 9207), so it was not used. Try again; if it happens again, the connection may be intercepted.`,
        true,
      );
    const refusal = refusalIn(error);
    if (refusal !== undefined) throw refused(name, refusal);
    throw error;
  }
}

function refused(name: string, error: string | null): AuthorizationFailure {
  const code = error !== null && /^[a-z_]{1,40}$/.test(error) ? error : "no reason is given";
  return new AuthorizationFailure(`${name}: the authorization server refused the login (${code}).`, true);
}

/** Without it some servers issue no refresh token. */
function withOfflineAccess(scopes: readonly string[], { metadata }: AuthorizationServer): readonly string[] {
  const isOffered = metadata.scopes_supported?.includes("offline_access") === true;
  return scopes.length > 0 && isOffered ? scopesOf(scopes, ["offline_access"]) : scopes;
}
