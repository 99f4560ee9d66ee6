import type { StartSurroundings } from "../../adapters/source/index.ts";
import type { Log } from "../../core/index.ts";
import { createOutbound, type Outbound } from "../../outbound/index.ts";

/** The outbound clients of several sources: those that want the same share one, and its connections. */
export class Outbounds {
  readonly #log: Log;
  readonly #clients = new Map<string, Outbound>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** The client for these settings. */
  for(...[allowPrivate, settings = {}]: Parameters<StartSurroundings["outbound"]>): Outbound {
    const key = JSON.stringify([allowPrivate, settings]);
    const known = this.#clients.get(key);
    if (known) return known;
    const outbound = createOutbound({ allowPrivate, log: this.#log, ...settings });
    this.#clients.set(key, outbound);
    return outbound;
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((outbound) => outbound.close()));
  }
}
