import {
  type AuthorizationServerMetadata,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  IssuerMismatchError,
} from "@modelcontextprotocol/client";
import { isRecord } from "../../core/index.ts";
import { type Outbound, OutboundError } from "../../outbound/index.ts";
import { AuthorizationFailure, type Challenge, plainScopes } from "./credential.ts";
import type { LoginClient } from "./login.ts";

const TIMEOUT_MS = 30_000;

/** The authorization server of an MCP server, and the tokens to request. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource of a token (RFC 8707), if the server names one. */
  readonly resource: string | undefined;
  /** The scopes of the MCP server. */
  readonly scopes: readonly string[];
}

/** A server that wants OAuth tokens. */
export interface ProtectedServer {
  /** The name of its source, for errors. */
  readonly name: string;
  readonly server: URL;
  /** The only authorization server that may be used. */
  readonly issuer: string | undefined;
  readonly outbound: Pick<Outbound, "fetch">;
}

/** Finds the authorization server of a server by RFC 9728, and its metadata by RFC 8414 or OpenID Connect. */
export async function findAuthorizationServer(
  { name, server, issuer: pinned, outbound }: ProtectedServer,
  challenge: Pick<Challenge, "resourceMetadataUrl"> | undefined,
): Promise<AuthorizationServer> {
  const told = await resourceMetadata(server, challenge?.resourceMetadataUrl, outbound);
  if (told && !isFor(told.resource, server)) {
    throw new AuthorizationFailure(
      `${name}: the server says that its tokens are for another address than ${server.origin}${server.pathname}, so none is asked for. Correct the address in sources.${name}.mcp.`,
      false,
    );
  }
  const named = told?.authorization_servers ?? [];
  if (pinned !== undefined && named.length > 0 && !named.includes(pinned)) {
    throw new AuthorizationFailure(
      `${name}: the server names another authorization server than sources.${name}.oauth.issuer. Nothing was sent to it; correct the issuer if the change is meant.`,
      false,
    );
  }
  // Before 2025-06-18 the server was its own authorization server.
  const issuer = pinned ?? named[0] ?? `${server.origin}/`;
  const metadata = await metadataOf({ name, issuer, outbound });
  return {
    issuer: metadata.issuer,
    metadata,
    resource: told?.resource,
    scopes: plainScopes(told?.scopes_supported ?? []),
  };
}

/** The metadata of an authorization server; its issuer must be the one that was asked. */
export async function metadataOf({
  name,
  issuer,
  outbound,
}: Pick<ProtectedServer, "name" | "outbound"> & {
  readonly issuer: string;
}): Promise<AuthorizationServerMetadata> {
  const metadata = await discoverAuthorizationServerMetadata(issuer, {
    fetchFn: metadataFetch(outbound),
  }).catch((error: unknown) => {
    if (error instanceof IssuerMismatchError)
      throw new AuthorizationFailure(
        `${name}: the authorization server calls itself something else than the address under which it was found, so it is not trusted.`,
        false,
      );
    // The schemas of the SDK.
    if (error instanceof Error && "issues" in error)
      throw new AuthorizationFailure(
        `${name}: the metadata of the authorization server are incomplete (RFC 8414), so it is not asked. Its operator can correct them.`,
        false,
      );
    throw error;
  });
  if (!metadata)
    throw new AuthorizationFailure(
      `${name}: no authorization server describes itself where the server says (RFC 8414). Set a token instead of oauth, or sources.${name}.oauth.issuer.`,
      false,
    );
  for (const endpoint of [
    metadata.token_endpoint,
    metadata.authorization_endpoint,
    metadata.registration_endpoint,
  ])
    if (endpoint !== undefined) assertSecure(name, endpoint);
  return metadata;
}

/** A fetch for the SDK, which takes only a TypeError for a network failure. */
export function metadataFetch(outbound: Pick<Outbound, "fetch">): FetchLike {
  return async (url, init) => {
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
    try {
      return await outbound.fetch(url, { ...init, signal });
    } catch (error) {
      if (error instanceof OutboundError) throw new TypeError("fetch failed", { cause: error });
      throw error;
    }
  };
}

async function resourceMetadata(
  server: URL,
  resourceMetadataUrl: URL | undefined,
  outbound: Pick<Outbound, "fetch">,
) {
  const fetch: FetchLike = async (url, init) => {
    const response = await metadataFetch(outbound)(url, init);
    if (response.status < 500) return response;
    // A failing server may have metadata; only another answer means that there is none.
    await response.body?.cancel();
    const happened = `${server.origin} answered ${response.status} instead of its OAuth metadata.`;
    throw new TypeError("fetch failed", { cause: new OutboundError("broken", happened) });
  };
  try {
    const options = resourceMetadataUrl ? { resourceMetadataUrl } : {};
    return await discoverOAuthProtectedResourceMetadata(server, options, fetch);
  } catch (error) {
    if (error instanceof TypeError) throw error;
    // A server from before RFC 9728.
    return undefined;
  }
}

/** True if tokens for a resource are for this server: the same path, or one above it. */
function isFor(resource: string, server: URL): boolean {
  const url = URL.parse(resource);
  if (url?.origin !== server.origin) return false;
  const folder = (path: string) => (path.endsWith("/") ? path : `${path}/`);
  return folder(server.pathname).startsWith(folder(url.pathname));
}

/** Secrets go over https or to this machine only. */
export function assertSecure(name: string, endpoint: string): void {
  const url = URL.parse(endpoint);
  if (url?.protocol === "https:") return;
  if (url?.protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)) return;
  throw new AuthorizationFailure(`${name}: the authorization server is not reached over https://.`, false);
}

/** Client authentication, in order of preference for a client on a person's machine. */
const METHODS: readonly string[] = ["none", "client_secret_basic", "client_secret_post"];

interface ClientOptions extends Pick<ProtectedServer, "name" | "outbound"> {
  readonly client: LoginClient | undefined;
  readonly redirectUrl: string;
  readonly scopes: readonly string[];
}

/** The client to log in with: the configured one, or one that registers itself (RFC 7591). */
export async function clientFor(
  { metadata }: AuthorizationServer,
  { name, outbound, client, redirectUrl, scopes }: ClientOptions,
): Promise<LoginClient> {
  const isAddress = client !== undefined && URL.parse(client.clientId)?.protocol === "https:";
  if (client && (!isAddress || metadata.client_id_metadata_document_supported === true)) return client;
  const endpoint = metadata.registration_endpoint;
  if (endpoint === undefined) {
    throw new AuthorizationFailure(
      `${name}: clients cannot register themselves at its authorization server. Register one there, with ${redirectUrl.replace(/:\d+\//, "/")} as its address on this machine, and set sources.${name}.oauth.clientId.`,
      false,
    );
  }
  const supported = metadata.token_endpoint_auth_methods_supported ?? METHODS;
  const response = await metadataFetch(outbound)(endpoint, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      client_name: "Pinhole",
      application_type: "native",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: METHODS.find((method) => supported.includes(method)) ?? "none",
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    }),
  });
  const registered: unknown = await response.json().catch(() => undefined);
  if (!response.ok || !isRecord(registered) || typeof registered.client_id !== "string") {
    throw new AuthorizationFailure(
      `${name}: its authorization server did not register this client (HTTP ${response.status}). Register one there and set sources.${name}.oauth.clientId.`,
      false,
    );
  }
  const { client_id, client_secret, token_endpoint_auth_method } = registered;
  return {
    clientId: client_id,
    ...(typeof client_secret === "string" && { clientSecret: client_secret }),
    ...(typeof token_endpoint_auth_method === "string" && { method: token_endpoint_auth_method }),
  };
}
