import { definitionOf } from "../../adapters/index.ts";
import type { Config } from "../../config/index.ts";
import { createOutbound } from "../../outbound/index.ts";
import { type Check, fine, wrong } from "./check.ts";

const OLDEST_NODE = [22, 19] as const;
/** Tokens of half a minute are about the shortest. */
const CLOCK_TOLERANCE_MS = 30_000;
const PATIENCE_MS = 5_000;

/** Whether this Node can run the gateway. */
export function checkNode(pinhole: string, node: string = process.versions.node): Check {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  if (!isOld) return fine("version", `Pinhole ${pinhole} on Node ${node}.`);
  return wrong(
    "version",
    `Node ${node} is too old for Pinhole ${pinhole}.`,
    `Install Node ${OLDEST_NODE.join(".")} or newer.`,
  );
}

/** Compares the clock of this machine with that of the first source that tells the time. */
export async function checkClock({ sources }: Config, signal: AbortSignal): Promise<readonly Check[]> {
  for (const source of Object.values(sources)) {
    const [address = ""] = definitionOf(source)
      .addresses(source)
      .filter((each) => each !== undefined);
    if (!/^https?:\/\//i.test(address)) continue;
    const theirs = await dateAt(new URL(address), source.allowPrivate ?? false, signal);
    if (theirs === undefined) continue;
    const off = Math.round((Date.now() - theirs) / 1_000);
    const host = new URL(address).host;
    if (Math.abs(off) * 1_000 <= CLOCK_TOLERANCE_MS)
      return [fine("clock", `The clock agrees with that of ${host} (${Math.abs(off)} s apart).`)];
    const text = `The clock is ${Math.abs(off)} s ${off > 0 ? "ahead of" : "behind"} that of ${host}; tokens may be refused as too old or too new.`;
    return [wrong("clock", text, "Set the clock of this machine, best by NTP.")];
  }
  return [];
}

async function dateAt(url: URL, allowPrivate: boolean, signal: AbortSignal): Promise<number | undefined> {
  const outbound = createOutbound({ allowPrivate, tries: 1 });
  try {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    // Nothing but the origin: an address may hold what only its owner is meant to see used.
    const response = await outbound.fetch(url.origin, {
      method: "HEAD",
      redirect: "manual",
      signal: patience,
    });
    await response.body?.cancel();
    const date = Date.parse(response.headers.get("date") ?? "");
    return Number.isNaN(date) ? undefined : date;
  } catch {
    // Whether it can be reached is told elsewhere.
    return undefined;
  } finally {
    await outbound.close();
  }
}
