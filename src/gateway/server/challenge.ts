import { type Caller, createView, type Identity, normaliseName, type Registry } from "../../core/index.ts";
import { LOOPBACK } from "./guard.ts";

/** Advice for a refused caller, by RFC 6750, section 3, and RFC 9728, section 5.1. */
export interface BearerChallenge {
  readonly error?: "invalid_token" | "insufficient_scope";
  readonly description?: string;
  readonly scopes?: readonly string[];
  /** The address of the metadata below, which names the issuers. */
  readonly metadataUrl?: string | undefined;
}

/** Scopes that can be written in a challenge. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** The value of WWW-Authenticate. */
export function challengeText({ error, description, scopes, metadataUrl }: BearerChallenge): string {
  const parts = {
    realm: "pinhole",
    error,
    error_description: description,
    scope: scopes?.join(" "),
    resource_metadata: metadataUrl,
  };
  const written = Object.entries(parts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${quotable(value)}"`],
  );
  return `Bearer ${written.join(", ")}`;
}

function quotable(text: string): string {
  return text.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, "?");
}

/** Facts that decide whether another token would help. */
export interface StepUp {
  readonly registry: Registry;
  /** The scopes that the issuer of the caller's token grants on request; the operator announces them. */
  readonly obtainable: (identity: Identity) => readonly string[];
}

/** True if a refused call could pass with an identity; a mutation that is refused as such could not. */
export function needsIdentity(
  operation: string,
  caller: Caller,
  { registry }: Pick<StepUp, "registry">,
): boolean {
  const found = createView(registry.snapshot(), caller).look(normaliseName(operation));
  return found?.sight === "forbidden" || found?.entry.registration.spec.access.resource !== undefined;
}

/**
 * The scopes to ask for so that a refused call would pass, with those that the caller has already. Undefined where that
 * would not help, where the caller may not know of the operation, or where the operator announces no such scope.
 */
export function scopesFor(
  operation: string,
  caller: Caller,
  { registry, obtainable }: StepUp,
): readonly string[] | undefined {
  const { identity } = caller;
  const announced = obtainable(identity).filter((scope) => SCOPE.test(scope));
  if (announced.length === 0) return undefined;
  const snapshot = registry.snapshot();
  const found = createView(snapshot, caller).look(normaliseName(operation));
  if (found?.sight !== "forbidden") return undefined;
  const { scopes = [], anyScope } = found.entry.registration.spec.access;
  const lacks = (scope: string) => !identity.scopes.includes(scope);
  const oneOf = anyScope?.every(lacks) ? anyScope.find((scope) => announced.includes(scope)) : undefined;
  const missing = [...scopes.filter(lacks), ...(oneOf === undefined ? [] : [oneOf])];
  if (missing.length === 0 || !missing.every((scope) => announced.includes(scope))) return undefined;
  // Access itself decides whether that would help: the rules are not read a second time here.
  const stepped = { ...caller, identity: { ...identity, scopes: [...identity.scopes, ...missing] } };
  if (createView(snapshot, stepped).look(normaliseName(operation))?.sight !== "open") return undefined;
  return [...new Set([...identity.scopes.filter((scope) => announced.includes(scope)), ...missing])];
}

/** Address of the metadata of a protected resource, before the path of the resource (RFC 9728, section 3). */
export const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** Addresses of the gateway. */
export interface ResourceOptions {
  /** The address that clients use, where the config names it. */
  readonly publicUrl?: string | undefined;
  /** The address that is listened on, once there is one. */
  readonly boundUrl?: (() => string) | undefined;
}

/** Issuers of tokens for this gateway, as clients are told. */
export interface TokenIssuers {
  readonly issuers: readonly string[];
  /** Scopes to ask for when signing in. */
  readonly scopes: readonly string[];
}

/** Metadata by which an OAuth client gets a token for one address of the gateway. */
export function metadataOf(request: Request, path: string, options: ResourceOptions & TokenIssuers): object {
  return {
    resource: `${baseUrlOf(request, options)}${path}`,
    resource_name: "Pinhole",
    authorization_servers: options.issuers,
    ...(options.scopes.length > 0 && { scopes_supported: options.scopes }),
    bearer_methods_supported: ["header"],
  };
}

/** The address of the metadata of one address. */
export function metadataUrlOf(request: Request, path: string, options: ResourceOptions): string {
  return `${baseUrlOf(request, options)}${METADATA_PATH}${path}`;
}

/**
 * Not taken from the request, which could name another server as the one to get tokens for. Only if the request uses
 * another name of this machine, that name is taken: a client compares it with the one that it was given.
 */
function baseUrlOf({ headers, url }: Request, { publicUrl, boundUrl }: ResourceOptions): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
  const bound = new URL(boundUrl?.() ?? new URL(url).origin);
  const asked = (headers.get("host") ?? new URL(url).host).replace(/:\d+$/, "").toLowerCase();
  if (LOOPBACK.test(asked) && LOOPBACK.test(bound.hostname)) bound.hostname = asked;
  return bound.origin;
}
