import { randomBytes } from "node:crypto";

/** An id for a node that has none of its own: no other has it, and it lasts as long as the process. */
export function makeNodeId(): string {
  return randomBytes(8).toString("hex");
}
