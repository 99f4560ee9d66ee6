import { createHash } from "node:crypto";
import { CallError, messageOf, type OperationSpec, type Registration } from "../../core/index.ts";
import type { Connection } from "../../protocol/index.ts";
import { forwardingHandler } from "./forward.ts";
import { importList } from "./import-list.ts";
import { type ListOptions, listAll } from "./list-operations.ts";

/** How much one connection may offer. */
export const OFFER_LIMITS = Object.freeze({ operations: 200, bytes: 1_048_576 });

/** Asks a client what it offers. Throws a CallError that tells it what is wrong. */
export async function listOffer(connection: Connection, options: ListOptions): Promise<readonly unknown[]> {
  try {
    return await listAll(connection, options, OFFER_LIMITS);
  } catch (error) {
    const reason = messageOf(error);
    throw refusal(`your side does not answer services/list as it should: ${reason.replace(/\.$/, "")}`);
  }
}

/** How what a client offers becomes registrations. */
export interface OfferOptions {
  /** The way back to the client. */
  readonly connection: Connection;
  /** The id of that connection. */
  readonly owner: string;
  /** What stands before its names. */
  readonly prefix: string;
  /** Which of them others than the client itself may reach, by their names there. */
  readonly isShared: (name: string) => boolean;
  /** What the others need for it. */
  readonly scopes: readonly string[];
  readonly nodeId: string;
  readonly timeoutMs: number;
}

/** What a client offers: to all, and to itself. */
export interface Offered {
  readonly shared: readonly Registration[];
  readonly own: readonly Registration[];
}

/** Makes registrations of what a client offers, all or nothing. Throws a CallError that tells it what is wrong. */
export function importOffer(listed: readonly unknown[], options: OfferOptions): Offered {
  const { connection, owner, prefix, nodeId, timeoutMs, isShared, scopes } = options;
  const link = {
    where: "The client that offers it",
    hopOf: (remoteName: string) => hopOf(options, remoteName),
    timeoutMs,
    connection: () => connection,
  };
  const handlerOf = (spec: OperationSpec, remoteName: string) => forwardingHandler(spec, remoteName, link);
  const rules = { prefix, nodeId, handlerOf };
  const parts = { shared: [] as unknown[], own: [] as unknown[] };
  for (const each of listed) (isShared(nameIn(each)) ? parts.shared : parts.own).push(each);
  const shared = importList(parts.shared, { ...rules, scopes, public: false });
  // Seen by nobody but the connection itself, so that there is no access to be decided on.
  const own = importList(parts.own, { ...rules, scopes: [], public: true });
  const [problem] = [...shared.leftOut, ...own.leftOut];
  if (problem) throw refusal(problem.message);
  // What a list of operations passes over without a word: it is the node's own, or has come from here.
  const taken = new Set([...shared.registrations, ...own.registrations].map(({ spec }) => spec.name));
  const missing = listed.map(nameIn).find((name) => !taken.has(`${prefix}/${name}`));
  if (missing !== undefined)
    throw refusal(`${missing} cannot be offered, because it is a name of the node's own`);
  return {
    shared: shared.registrations.map((registration) => ({ ...registration, owner })),
    own: own.registrations,
  };
}

/** Not the id of this node: the program may call it in turn, and only the same operation again makes a circle. */
function hopOf({ nodeId, owner }: OfferOptions, remoteName: string): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([nodeId, owner, remoteName]))
    .digest("hex");
  return `offer-${digest.slice(0, 32)}`;
}

function nameIn(listed: unknown): string {
  return String((listed as { readonly name?: unknown } | null)?.name);
}

function refusal(problem: string): CallError {
  return new CallError("INVALID_INPUT", `The offer is not taken: ${problem}. What was offered before stays.`);
}
