import { createHash } from "node:crypto";
import { CallError, messageOf, type OperationSpec, type Registration } from "../../core/index.ts";
import type { Connection } from "../../protocol/index.ts";
import { forwardingHandler } from "./forward.ts";
import { importList } from "./import-list.ts";
import { type ListOptions, listAll } from "./services.ts";

/** Limits of the operations that one connection offers. */
const OFFER_LIMITS = Object.freeze({ operations: 200, bytes: 1_048_576 });

/** Lists the operations that a client offers. Throws a CallError for the client. */
export async function listOffer(connection: Connection, options: ListOptions): Promise<readonly unknown[]> {
  try {
    return await listAll(connection, options, OFFER_LIMITS);
  } catch (error) {
    const reason = messageOf(error);
    throw refusal(`your side does not answer services/list as it should: ${reason.replace(/\.$/, "")}`);
  }
}

/** Options of `importOffer`. */
interface OfferOptions {
  /** The way back to the client. */
  readonly connection: Connection;
  /** The id of that connection. */
  readonly owner: string;
  /** The first part of its names. */
  readonly prefix: string;
  /** True for operations that other callers than the client itself may reach, by their names there. */
  readonly isShared: (name: string) => boolean;
  /** Scopes that other callers need. */
  readonly scopes: readonly string[];
  readonly nodeId: string;
  readonly timeoutMs: number;
}

/** The operations of a client: for all callers, and for itself alone. */
export interface Offered {
  readonly shared: readonly Registration[];
  readonly own: readonly Registration[];
}

/** Makes registrations of a client's operations, all or nothing. Throws a CallError for the client. */
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
  // Visible to the connection itself alone, so there is no access to decide on.
  const own = importList(parts.own, { ...rules, scopes: [], public: true });
  const [problem] = [...shared.leftOut, ...own.leftOut];
  if (problem) throw refusal(problem.message);
  // Skipped silently by importList: names of the node itself, or operations that came from here.
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
