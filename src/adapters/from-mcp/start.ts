import { packageVersion } from "../../config/index.ts";
import { FloodPause, type KeptSource, keepImported, type OnSet, sameJson } from "../../core/index.ts";
import { oauthOfSource } from "../../credentials/oauth/index.ts";
import { mediaKindOf, readEvents } from "../../formats/index.ts";
import { OutboundError } from "../../outbound/index.ts";
import {
  type Startable,
  type StartSurroundings,
  sourceOptionsOf,
  type UpstreamSource,
} from "../source/index.ts";
import type { McpConfig } from "./config.ts";
import { ConnectionFailure, Connections } from "./connection.ts";
import { type Discovered, discover } from "./discover.ts";
import { toFailure } from "./failure.ts";
import { ofOldTransport, toImportError } from "./failure-errors.ts";
import type { McpSourceOptions } from "./options.ts";
import type { TransportOptions } from "./transport.ts";

/** Starts an MCP source. */
export function startMcp(wanted: Startable<McpConfig>, surroundings: StartSurroundings): UpstreamSource {
  const { log, outbound, onSet, onSecrets } = surroundings;
  const { name, config, secrets, logins } = wanted;
  const { trustAnnotations, relayQuestions, refreshMs, allowPrivate, tokenHeader } = config;
  const url = new URL(config.mcp);
  const way = outbound(allowPrivate, { tls: secrets.tls });
  const oauth =
    config.oauth &&
    oauthOfSource({
      name,
      url,
      oauth: config.oauth,
      secrets: secrets.oauth ?? {},
      logins,
      outbound: way,
      log,
      onSecrets,
    });
  const common = sourceOptionsOf(wanted);
  const options = {
    ...common,
    secrets: oauth ? () => [...(common.secrets?.() ?? []), ...oauth.credential.secrets()] : common.secrets,
    url,
    token: secrets.discovery.token,
    tokenHeader,
    oauth: oauth?.credential,
    credentialAdvice: config.credentials
      ? `Set or renew sources.${name}.credentials.discovery, by which its list is read.`
      : undefined,
    trustAnnotations,
    relayQuestions,
    refreshMs,
    outbound: way,
    version: packageVersion(),
    log,
  };
  const source = createMcpSource(options, onSet);
  if (!oauth) return source;
  const stopWatching = oauth.watch(() => void source.refresh());
  return {
    ...source,
    async close() {
      stopWatching();
      await source.close();
    },
  };
}

interface McpSource extends KeptSource {
  /** Number of reconnects. */
  reconnects(): number;
  /** Stops importing, and closes the connections after the running calls. */
  close(): Promise<void>;
}

/** Keeps a server imported: reads its lists at the start, when the server reports a change, and from time to time. */
export function createMcpSource(options: McpSourceOptions, onSet: OnSet): McpSource {
  const { name, log, refreshMs, url, oauth } = options;
  const connections = new Connections({
    ...options,
    onUnauthorized,
    floods: new FloodPause(),
    // During the pause another look costs nothing, and tells the operator the reason.
    onFlood: () => void kept.refresh(),
  });
  const discovery = connections.watching(options.token, {
    changed: () => kept.changed(),
    lost: () => kept.missed(),
  });
  let found: Discovered | undefined;
  let taken: Discovered | undefined;

  /** The source learns from calls at once, not only when it is looked at again. */
  function onUnauthorized(): void {
    if (kept.health().state === "healthy") kept.missed();
  }

  async function attempt(signal: AbortSignal): Promise<Discovered> {
    try {
      const upstream = { connections, options };
      found = await discovery.use((client) => discover(client, upstream), { isRepeatable: true });
      connections.answered = undefined;
      return found;
    } catch (error) {
      connections.answered = () => kept.missed();
      const failure = error instanceof ConnectionFailure ? error.failure : toFailure(error);
      const shown = `${url.origin}${url.pathname}`;
      // Such a server refuses requests, or takes them and never answers.
      const mayBeOld =
        failure.kind === "invalid-answer" ||
        (failure.kind === "timeout" && !(failure.cause instanceof OutboundError));
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
      // An unchanged list is not passed on: every follower of the registry would look through all of it.
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

const LOOK_MS = 3_000;

interface OldTransportSite extends Pick<TransportOptions, "url" | "tokenHeader" | "outbound"> {
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** True for a server with the transport of 2024-11-05: its first event on GET names the address for requests. */
export async function speaksOldTransport(site: OldTransportSite): Promise<boolean> {
  const { url, token, tokenHeader, outbound, signal } = site;
  const patience = AbortSignal.timeout(LOOK_MS);
  const credential: [string, string][] =
    token === undefined ? [] : [tokenHeader ? [tokenHeader, token] : ["authorization", `Bearer ${token}`]];
  try {
    const { ok, headers, body } = await outbound.fetch(url, {
      headers: [["accept", "text/event-stream"], ...credential],
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    });
    if (ok && body && mediaKindOf(headers.get("content-type") ?? "") === "events") {
      for await (const { event } of readEvents(body)) return event === "endpoint";
    }
    await body?.cancel();
  } catch {
    // Unknown; the failure that led here is reported instead.
  }
  return false;
}
