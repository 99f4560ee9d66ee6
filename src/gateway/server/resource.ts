import { LOOPBACK } from "./guard.ts";

/** Where the metadata of a protected resource is, before the path of the resource (RFC 9728, section 3). */
export const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** Under which address the gateway is known. */
export interface ResourceOptions {
  /** The address that clients use, where the config names it. */
  readonly publicUrl?: string | undefined;
  /** The address that is listened on, once there is one. */
  readonly boundUrl?: (() => string) | undefined;
}

/** Who gives out tokens for this gateway, as clients are told. */
export interface TokenGivers {
  readonly issuers: readonly string[];
  /** What to ask for when signing in. */
  readonly scopes: readonly string[];
}

/** What an OAuth client must know to get a token for one address of the gateway. */
export function metadataOf(request: Request, path: string, options: ResourceOptions & TokenGivers): object {
  return {
    resource: `${baseUrlOf(request, options)}${path}`,
    resource_name: "Pinhole",
    authorization_servers: options.issuers,
    ...(options.scopes.length > 0 && { scopes_supported: options.scopes }),
    bearer_methods_supported: ["header"],
  };
}

/** Where the metadata of one address is. */
export function metadataUrlOf(request: Request, path: string, options: ResourceOptions): string {
  return `${baseUrlOf(request, options)}${METADATA_PATH}${path}`;
}

/**
 * Never what a request says, which would let it name another server as the one to get tokens for; only which of the names
 * of this machine was used, because a client compares it with the one that it was given.
 */
function baseUrlOf({ headers, url }: Request, { publicUrl, boundUrl }: ResourceOptions): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
  const bound = new URL(boundUrl?.() ?? new URL(url).origin);
  const asked = (headers.get("host") ?? new URL(url).host).replace(/:\d+$/, "").toLowerCase();
  if (LOOPBACK.test(asked) && LOOPBACK.test(bound.hostname)) bound.hostname = asked;
  return bound.origin;
}
