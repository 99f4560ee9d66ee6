import { type Caller, createView, type Identity, normaliseName, type Registry } from "../../core/index.ts";

/** What a caller can do about a refusal, as RFC 6750, section 3, and RFC 9728, section 5.1, have it. */
export interface Challenge {
  readonly error?: "invalid_token" | "insufficient_scope";
  readonly description?: string;
  readonly scopes?: readonly string[];
  /** Where a client learns who gives out tokens. */
  readonly metadataUrl?: string | undefined;
}

/** What a scope may consist of so that it can stand in a challenge. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** The value of WWW-Authenticate. */
export function challengeText({ error, description, scopes, metadataUrl }: Challenge): string {
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

/** What a step up is decided by. */
export interface StepUp {
  readonly registry: Registry;
  /** The scopes that the issuer of the caller's token gives out on request; the operator announces them. */
  readonly obtainable: (identity: Identity) => readonly string[];
}

/** Whether a refused call could pass with an identity; one that was refused for what it does would not. */
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
  // Whether it would help is decided by the one who decides access, not by a second reading of the rules.
  const stepped = { ...caller, identity: { ...identity, scopes: [...identity.scopes, ...missing] } };
  if (createView(snapshot, stepped).look(normaliseName(operation))?.sight !== "open") return undefined;
  return [...new Set([...identity.scopes.filter((scope) => announced.includes(scope)), ...missing])];
}
