import type { Identity } from "../model/index.ts";
import { CallError } from "../model/index.ts";
import type { Entrance } from "./entrance.ts";

/** How a caller is let in once more. */
export interface Readmission {
  /** What decides at the moment who comes in; another value after a reload. */
  readonly rules: () => unknown;
  readonly enter: () => Promise<Entrance>;
}

/**
 * Why a caller would not be let in any more as it was; undefined where it would be. Whatever outlives its request is held
 * against this, on every wire (decision 048). Who cannot be asked at the moment has not said no.
 */
export async function refusalToReadmit(
  before: Pick<Identity, "id" | "scopes">,
  entered: Promise<Pick<Entrance, "identity">>,
): Promise<CallError | undefined> {
  try {
    const { identity } = await entered;
    return hasAllOf(before, identity) ? undefined : mayLess();
  } catch (error) {
    return error instanceof CallError && error.code === "FORBIDDEN" ? error : undefined;
  }
}

function hasAllOf({ id, scopes }: Pick<Identity, "id" | "scopes">, now: Identity): boolean {
  return now.id === id && scopes.every((scope) => now.scopes.includes(scope));
}

function mayLess(): CallError {
  return new CallError(
    "FORBIDDEN",
    "What this caller may do has changed while the stream was open. Subscribe again.",
  );
}
