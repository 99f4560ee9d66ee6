import type { Identity } from "../model/index.ts";
import { CallError } from "../model/index.ts";
import type { Entrance } from "./entrance.ts";

/** Authenticates a caller again. */
export interface Readmission {
  /** Rules of authentication in force; another value after a reload. */
  readonly rules: () => unknown;
  readonly enter: () => Promise<Entrance>;
}

type Rights = Pick<Identity, "id" | "scopes" | "owned">;

/**
 * The reason why a caller would not be authenticated again with the same rights; undefined if it would be. Everything that
 * outlives its request is checked by this, on every wire (decision 048). An unreachable issuer does not end the stream.
 */
export async function refusalToReadmit(
  before: Rights,
  entered: Promise<Pick<Entrance, "identity">>,
): Promise<CallError | undefined> {
  try {
    const { identity } = await entered;
    return hasAllOf(before, identity) ? undefined : mayLess();
  } catch (error) {
    return error instanceof CallError && error.code === "FORBIDDEN" ? error : undefined;
  }
}

function hasAllOf({ id, scopes, owned = [] }: Rights, now: Identity): boolean {
  const hasAny = (type: string) => now.owned?.includes(type) ?? false;
  return now.id === id && scopes.every((scope) => now.scopes.includes(scope)) && owned.every(hasAny);
}

function mayLess(): CallError {
  return new CallError(
    "FORBIDDEN",
    "What this caller may do has changed while the stream was open. Subscribe again.",
  );
}
