import { FloodPause, type KeptSource, keepImported, type OnSet, sameJson } from "../../core/index.ts";
import { ConnectionFailure } from "./connection.ts";
import { Connections } from "./connections.ts";
import { type Discovered, discover } from "./discover.ts";
import { toFailure } from "./failure.ts";
import { ofOldTransport, toImportError } from "./failure-errors.ts";
import { speaksOldTransport } from "./old-transport.ts";
import type { McpSourceOptions } from "./options.ts";

/** A server that is being imported, for as long as it is not closed. */
interface McpSource extends KeptSource {
  /** How often a connection was made anew because the one before was lost. */
  reconnects(): number;
  /** Imports nothing more, and ends the connections when the running calls have ended. */
  close(): Promise<void>;
}

/** Keeps a server imported: reads its list at the start, when the server tells of a change and from time to time. */
export function createMcpSource(options: McpSourceOptions, onSet: OnSet): McpSource {
  const { name, log, refreshMs, url, outbound, version, relayQuestions, oauth, tokenHeader } = options;
  const connections = new Connections({
    url,
    outbound,
    version,
    relayQuestions,
    oauth,
    tokenHeader,
    secrets: options.secrets,
    onUnauthorized,
    floods: new FloodPause(),
    // While it is left alone, looking again costs nothing and tells the operator why.
    onFlood: () => void kept.refresh(),
  });
  const discovery = connections.watching(options.token, {
    changed: () => kept.changed(),
    lost: () => kept.missed(),
  });
  let found: Discovered | undefined;
  let taken: Discovered | undefined;

  /** What a call finds out is told of the source at once, and not only when it is looked at again. */
  function onUnauthorized(): void {
    if (kept.health().state === "healthy") kept.missed();
  }

  function onAnswered(): void {
    if (kept.health().state === "unhealthy") kept.missed();
  }

  async function attempt(signal: AbortSignal): Promise<Discovered> {
    try {
      const upstream = { connections, options, onAnswered };
      found = await discovery.use((client) => discover(client, upstream), { isRepeatable: true });
      return found;
    } catch (error) {
      const failure = error instanceof ConnectionFailure ? error.failure : toFailure(error);
      const shown = `${url.origin}${url.pathname}`;
      // Such a server refuses what it is sent, or takes it and never answers.
      const mayBeOld = failure.kind === "garbage" || failure.kind === "timeout";
      if (mayBeOld && (await speaksOldTransport({ ...options, signal }))) throw ofOldTransport(shown);
      const hasCredential = options.token !== undefined || oauth !== undefined;
      throw toImportError(failure, { url: shown, hasCredential, advice: options.credentialAdvice });
    }
  }

  const kept = keepImported({
    name,
    log,
    refreshMs,
    attempt,
    secrets: options.secrets,
    onSet(set) {
      // The same list again is no news, and whoever follows the registry would look through all of it.
      if (!isSame(found, taken)) onSet(set);
      taken = found;
    },
  });

  return {
    ...kept,
    reconnects: () => connections.reconnects,
    async close() {
      await kept.close();
      await connections.close();
    },
  };
}

function isSame(found: Discovered | undefined, taken: Discovered | undefined): boolean {
  const shown = (all: Discovered | undefined) =>
    all && [all.toolNames, all.set.source, all.set.registrations.map(({ spec }) => spec)];
  return sameJson(shown(found), shown(taken));
}
