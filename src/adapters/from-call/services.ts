import { setTimeout as sleep } from "node:timers/promises";
import { CallError, ImportError, isRecord, measureJson } from "../../core/index.ts";
import type { CallOptions, Connection } from "../../protocol/index.ts";

const PAGE = 500;
const MOST: ListLimits = { operations: 200_000, bytes: 512 * 1024 * 1024 };
const LIST_TIMEOUT_MS = 30_000;

/** Options of requests for a node's own services. */
export type ListOptions = Pick<CallOptions, "hops" | "signal">;

interface ListLimits {
  readonly operations: number;
  /** As JSON. */
  readonly bytes: number;
}

/** Lists every operation that a node shows, page by page. */
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
    // Names only grow and no page is empty, so a list without an end is noticed.
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

/** Lists operations by name, if the node still shows them. */
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

/** Time for a node to confirm the subscription. */
const BEGIN_MS = 30_000;

/** Codes of a node that does not report changes to this one; it is polled. */
const NOT_REPORTED: readonly string[] = ["NOT_FOUND", "FORBIDDEN", "INVALID_OPERATION_TYPE"];

interface ChangeFollower {
  /** These operations may have been added, removed or changed. */
  readonly changed: (names: readonly string[]) => void;
  /** From now on changes are missed, although the connection lasts. */
  readonly lost: () => void;
}

/** Follows the changes of a node's operations. Resolves once later changes are reported, if the node reports any. */
export async function followChanges(
  connection: Connection,
  options: ListOptions,
  follower: ChangeFollower,
  beginMs: number = BEGIN_MS,
): Promise<void> {
  const items = connection.subscribe("services/changes", {}, options);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void items.return?.();
  }, beginMs);
  try {
    // The first item confirms the subscription.
    await items.next();
  } catch (error) {
    if (error instanceof CallError && NOT_REPORTED.includes(error.code)) return;
    throw error;
  } finally {
    clearTimeout(timer);
  }
  if (isLate) throw new CallError("TIMEOUT", `It did not answer services/changes within ${beginMs} ms.`);
  void pump(items, follower);
}

async function pump(items: AsyncIterable<unknown>, follower: ChangeFollower): Promise<void> {
  try {
    for await (const item of items) follower.changed(namesIn(item));
  } catch {
    // Whatever the reason, the list is read again.
  }
  follower.lost();
}

function namesIn(item: unknown): readonly string[] {
  if (!isRecord(item)) return [];
  return [item.added, item.removed, item.changed].flat().filter((name) => typeof name === "string");
}

/** A peer that changes all the time gets a tenth of this process at most. */
const REST = 9;

/**
 * Runs work on request: at once after a quiet time, otherwise after a rest nine times as long as the last run took.
 * Requests during a run or a rest lead to one more run.
 */
export function paced(
  work: () => Promise<number>,
  rest: (milliseconds: number) => Promise<void> = pause,
): () => void {
  let isWanted = false;
  let isBusy = false;

  async function run(): Promise<void> {
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await rest(REST * (await work()));
    }
    isBusy = false;
  }

  return () => {
    isWanted = true;
    if (!isBusy) void run();
  };
}

function pause(milliseconds: number): Promise<void> {
  return sleep(milliseconds, undefined, { ref: false });
}
