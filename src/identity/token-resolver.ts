import { timingSafeEqual } from "node:crypto";
import type { Identity, IdentityResolver } from "../core/index.ts";
import { checkIdentities, type TokenIdentity } from "./check-identities.ts";
import { digestOf, digestOfHash } from "./token.ts";

const MAX_TOKEN_LENGTH = 4096;

/**
 * Finds identities by bearer tokens. It compares with every hash, always, so that the time it takes tells
 * nothing about near matches.
 *
 *     const resolveIdentity = createTokenResolver([{ id: "ci", tokenHash: "sha256:…", scopes: ["github"] }]);
 */
export function createTokenResolver(identities: readonly TokenIdentity[]): IdentityResolver {
  const [problem] = checkIdentities(identities);
  if (problem) throw new Error(`Identity ${problem.index + 1}: ${problem.message}`);
  const known = identities.map((identity) => ({
    digest: digestOfHash(identity.tokenHash),
    identity: toIdentity(identity),
  }));

  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const presented = digestOf(token);
    let found: Identity | undefined;
    for (const { digest, identity } of known) {
      if (timingSafeEqual(digest, presented)) found = identity;
    }
    return found;
  };
}

function toIdentity({ id, scopes, resources, limits, mutations }: TokenIdentity): Identity {
  return Object.freeze({
    id,
    authenticated: true,
    scopes: Object.freeze([...scopes]),
    ...(resources && { resources: frozenCopy(resources) }),
    ...(limits && { limits: Object.freeze({ ...limits }) }),
    ...(mutations && { mutations }),
  });
}

function frozenCopy(resources: NonNullable<Identity["resources"]>): NonNullable<Identity["resources"]> {
  const entries = Object.entries(resources).map(([name, actions]) => [name, Object.freeze([...actions])]);
  return Object.freeze(Object.fromEntries(entries));
}
