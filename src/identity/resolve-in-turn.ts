import type { IdentityResolver } from "../core/index.ts";

/** Asks one resolver after the other until someone is known by the token. */
export function resolveInTurn(resolvers: readonly IdentityResolver[]): IdentityResolver {
  return async (token, signal) => {
    for (const resolve of resolvers) {
      const identity = await resolve(token, signal);
      if (identity) return identity;
    }
    return undefined;
  };
}
