import { CallError } from "../core/index.ts";

/** Maximum number of nodes that a call passes. */
export const MAX_HOPS = 8;

/**
 * Reason to refuse a call by its path: it passed this node before, or it has passed too many
 * nodes. Each node that hands a call on adds its own id to the end of the list, so that a ring of any
 * length is seen by the first node that the call reaches twice.
 */
export function refuseLoop(hops: readonly string[], nodeId: string): CallError | undefined {
  if (hops.includes(nodeId)) {
    return refusal(
      "This call has passed this node before: the peers that it goes through form a ring. Call the operation under its own name, or at the node that has it.",
    );
  }
  if (hops.length < MAX_HOPS) return undefined;
  return refusal(`This call has passed ${hops.length} nodes, and ${MAX_HOPS} is the most.`);
}

/** The way of a call that this node hands on. */
export function addHop(hops: readonly string[], nodeId: string): readonly string[] {
  return [...hops, nodeId];
}

/** The same call goes the same way again, so that another try cannot help. */
function refusal(message: string): CallError {
  return new CallError("UNAVAILABLE", message, { retryable: false });
}
