import { CallError, isRecord } from "../../core/index.ts";
import type { Connection } from "../../protocol/index.ts";
import type { ListOptions } from "./list-operations.ts";

/** How long a node may take to say that it has begun. */
const BEGIN_MS = 30_000;

/** A node that has no such operation, or does not let this one have it, is looked at from time to time. */
const NOT_TOLD: readonly string[] = ["NOT_FOUND", "FORBIDDEN", "INVALID_OPERATION_TYPE"];

/** Who is told of changes. */
interface ChangeFollower {
  /** These may have come, gone or changed. */
  readonly changed: (names: readonly string[]) => void;
  /** From now on changes go unnoticed, although the connection lasts. */
  readonly lost: () => void;
}

/** Follows what a node tells of its operations. Settled: what happens from now on is told, if the node tells at all. */
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
    // The first item says that it has begun.
    await items.next();
  } catch (error) {
    if (error instanceof CallError && NOT_TOLD.includes(error.code)) return;
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
    // Why does not matter: what was missed is looked for.
  }
  follower.lost();
}

function namesIn(item: unknown): readonly string[] {
  if (!isRecord(item)) return [];
  return [item.added, item.removed, item.changed].flat().filter((name) => typeof name === "string");
}
