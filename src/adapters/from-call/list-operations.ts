import { ImportError, isRecord, measureJson } from "../../core/index.ts";
import type { CallOptions, Connection } from "../../protocol/index.ts";

const PAGE = 500;
const MOST: ListLimits = { operations: 200_000, bytes: 512 * 1024 * 1024 };
const LIST_TIMEOUT_MS = 30_000;

/** What another node lists, and whom it tells who asks. */
export type ListOptions = Pick<CallOptions, "hops" | "signal">;

/** How much of a list is taken. */
interface ListLimits {
  readonly operations: number;
  /** Of JSON. */
  readonly bytes: number;
}

/** Every operation that a node shows, page by page. */
export async function listAll(
  connection: Connection,
  options: ListOptions,
  most: ListLimits = MOST,
): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  do {
    const page = await listPage(
      connection,
      { limit: PAGE, ...(cursor !== undefined && { cursor }) },
      options,
    );
    all.push(...page.operations);
    bytes += measureJson(page.operations, most.bytes + 1).bytes;
    if (all.length > most.operations) throw tooMuch(`it lists more than ${most.operations} operations`);
    if (bytes > most.bytes) throw tooMuch(`its definitions are larger than ${most.bytes} bytes`);
    // Names only grow, and each page has some, so that a list without an end is seen.
    const { nextCursor } = page;
    if (nextCursor !== undefined && (page.operations.length === 0 || nextCursor <= (cursor ?? "")))
      throw tooMuch("the pages of its list do not come to an end");
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}

function tooMuch(message: string): ImportError {
  return new ImportError("DISCOVERY_FAILED", message);
}

/** Some operations by name, as far as the node still shows them. */
export async function listNamed(
  connection: Connection,
  names: readonly string[],
  options: ListOptions,
): Promise<readonly unknown[]> {
  return (await listPage(connection, { names }, options)).operations;
}

interface ListedPage {
  readonly operations: readonly unknown[];
  readonly nextCursor: string | undefined;
}

async function listPage(connection: Connection, input: object, options: ListOptions): Promise<ListedPage> {
  const page = await connection.call(
    "services/list",
    { full: true, ...input },
    { ...options, deadlineMs: LIST_TIMEOUT_MS },
  );
  if (!isRecord(page) || !Array.isArray(page.operations))
    throw new ImportError("DISCOVERY_FAILED", "its services/list does not answer with operations");
  const { operations, nextCursor } = page;
  return { operations, nextCursor: typeof nextCursor === "string" ? nextCursor : undefined };
}
