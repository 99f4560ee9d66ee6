import type { Client } from "@modelcontextprotocol/client";

const LISTS = ["tools", "resources", "prompts"] as const;
const ACKNOWLEDGE_TIMEOUT_MS = 10_000;

/** Who wants to know what becomes of a server's lists. */
export interface Watch {
  /** The server says that a list has changed. */
  readonly changed: () => void;
  /** From now on changes would go unnoticed. */
  readonly lost: () => void;
}

/** Watches the lists of a server as far as it tells of changes; a server that does not is asked from time to time. */
export function watchLists(client: Client, watch: Watch): void {
  for (const list of LISTS)
    client.setNotificationHandler(`notifications/${list}/list_changed`, watch.changed);
  if (client.getProtocolEra() === "modern") void subscribe(client, watch);
}

/** Since 2026-07-28 changes are told on a stream that has to be asked for. */
async function subscribe(client: Client, watch: Watch): Promise<void> {
  const capabilities = client.getServerCapabilities() ?? {};
  const wanted = LISTS.filter((list) => capabilities[list]?.listChanged === true);
  if (wanted.length === 0) return;
  const filter = Object.fromEntries(wanted.map((list) => [`${list}ListChanged`, true]));
  try {
    const subscription = await client.listen(filter, { timeout: ACKNOWLEDGE_TIMEOUT_MS });
    const end = await subscription.closed;
    const wasHeard = Object.keys(subscription.honoredFilter).length > 0;
    if (end !== "local" && wasHeard) watch.lost();
  } catch {
    // A server that cannot be listened to is asked from time to time.
  }
}
