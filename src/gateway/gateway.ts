import { setMaxListeners } from "node:events";
import { checkRules, loadConfig } from "../adapters/index.ts";
import { type Config, ConfigError, type LoadConfigOptions, takenAway, watchConfig } from "../config/index.ts";
import { messageOf, type Registry } from "../core/index.ts";
import { createLog, type GatewayLog } from "../observe/index.ts";
import { renewServices } from "../services/search/index.ts";
import { assemble, createLasting } from "./assemble.ts";
import { lockPath } from "./lock/index.ts";
import { searchOptionsOf } from "./search-options.ts";
import { createApp, createCallDoor, listen, readCertificate, watchCertificate } from "./server/index.ts";

const GRACE_MS = 10_000;

/** How a gateway is started. */
export interface StartOptions extends LoadConfigOptions {
  /** Instead of the log that the config asks for. */
  readonly log?: GatewayLog;
  /** Follow changes of the config file; on unless it is false. */
  readonly watch?: boolean;
  /**
   * Keep the process alive through errors outside of calls, as a forgotten await in a plugin leaves them: logged with the
   * source, and counted. For a program that is nothing but the gateway.
   */
  readonly surviveStrayErrors?: boolean;
  /** Gives up a start that is under way; it does nothing to a gateway that runs. */
  readonly signal?: AbortSignal;
}

/** A running gateway. */
export interface Gateway {
  readonly url: string;
  /** The config file that it follows, if there is one. */
  readonly file: string | undefined;
  readonly registry: Registry;
  /** Reads the config again; on any fault the old one stays and the fault is thrown. */
  reload(): Promise<void>;
  /** Finishes running calls, then stops. Until `lingerMs` have passed, requests over open connections are answered as their last. */
  close(options?: { readonly lingerMs?: number }): Promise<void>;
}

/** Reads the config, brings in its sources and serves them. */
export async function startGateway(options: StartOptions): Promise<Gateway> {
  const loaded = await loadConfig(options);
  const { server } = loaded.config;
  const certificateNow = () => server.tls && readCertificate(server.tls, loaded);
  const certificate = certificateNow();
  const lasting = createLasting(
    options.log ?? createLog(loaded.config.log.level),
    server.callProtocol.nodeId,
  );
  const { registry, log } = lasting;
  if (certificate) lasting.secrets.add([certificate.key]);
  const dieAgain = options.surviveStrayErrors ? lasting.observers.strayErrors.survive() : () => {};
  let loads = 0;
  let { search } = loaded.config;
  let inForce = loaded;
  let reloads: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const reloaded = new EventTarget();
  // One for each stream.
  setMaxListeners(0, reloaded);
  const closeAndThrow = async (error: unknown): Promise<never> => {
    await lasting.close();
    dieAgain();
    throw error;
  };
  const first = await assemble(loaded, lasting, loads).catch(closeAndThrow);
  await first.bringIn(options.signal).catch(closeAndThrow);
  let { serving } = first;

  const app = createApp({
    ...server,
    log,
    serving: () => serving,
    boundUrl: () => http.url,
    reloads: reloaded,
    stopping: stopping.signal,
  });
  const calls = createCallDoor({
    ...server,
    directory: loaded.directory,
    serving: () => serving,
    nodeId: lasting.nodeId,
    log,
    onConnected: (peer) => lasting.peers.joined(peer),
    onOfferRevoked: (connection) => lasting.peers.offers.withdraw(connection),
  });
  const http = await listen({
    host: server.host,
    port: server.port,
    certificate,
    fetch: (request) => app.fetch(request),
    upgrade: calls.upgrade,
  }).catch(closeAndThrow);
  await calls.listen().catch(async (error: unknown) => {
    await Promise.all([calls.close(0), http.close(0)]);
    return closeAndThrow(error);
  });

  async function reloadNow(): Promise<void> {
    if (stopping.signal.aborted) throw new Error("The gateway is closed: it takes no other config.");
    const next = await loadConfig(options);
    const lost = takenAway(inForce, next);
    if (lost.length > 0) throw new ConfigError(lost);
    refuseAt(server, next.config);
    const renewed = certificateNow();
    const assembled = await assemble(next, lasting, ++loads);
    serving = assembled.serving;
    inForce = next;
    if (renewed) http.renew(renewed);
    reloaded.dispatchEvent(new Event("reload"));
    await Promise.all([calls.recheck(), lasting.doors.recheck()]);
    await assembled.bringIn();
    if (JSON.stringify(next.config.server) !== JSON.stringify(server)) {
      log.warn("The settings under server take effect at the next start", { file: next.file });
    }
    if (JSON.stringify(next.config.search) !== JSON.stringify(search)) {
      search = next.config.search;
      const options = searchOptionsOf(search, next.directory, lasting.nodeId);
      await renewServices(registry, { ...options, log });
    }
    log.info("Reloaded the config", { file: next.file, operations: registry.snapshot().count() });
  }

  /** One after the other, so that the last change of a file is the one that stays. */
  function reload(): Promise<void> {
    const mine = reloads.then(reloadNow);
    reloads = mine.catch(() => {});
    return mine;
  }

  const stopWatching =
    loaded.file !== undefined && options.watch !== false
      ? watchConfig(loaded.file, () =>
          reload().catch((error: unknown) =>
            log.error("The config is not taken; the old one stays", { reason: messageOf(error) }),
          ),
        )
      : () => {};

  const stopWatchingLock =
    loaded.file !== undefined && options.watch !== false
      ? watchConfig(lockPath(loaded.directory), () => lasting.lockGate.reread(), { reportGone: true })
      : () => {};

  /** The two files of a renewed certificate do not change at once: what does not fit yet is tried at the next change. */
  function renewCertificate(): void {
    try {
      const renewed = certificateNow();
      if (renewed) http.renew(renewed);
      log.info("Renewed the certificate");
    } catch (error) {
      log.warn("The certificate is not taken; the old one stays", { reason: messageOf(error) });
    }
  }
  const stopWatchingCertificate =
    certificate && options.watch !== false ? watchCertificate(certificate.files, renewCertificate) : () => {};

  return {
    url: http.url,
    file: loaded.file,
    registry,
    reload,
    async close({ lingerMs = 0 } = {}) {
      stopping.abort();
      stopWatching();
      stopWatchingCertificate();
      stopWatchingLock();
      lasting.doors.endListening();
      await Promise.all([calls.close(GRACE_MS), http.close(GRACE_MS, lingerMs)]);
      // A reload that brings in sources goes on until they are closed, and opens nothing behind what is closed then.
      await lasting.upstreams.close();
      await reloads;
      await lasting.close();
      dieAgain();
    },
  };
}

/** Where the gateway listens is changed by a start alone, so a new config must also go with where it listens now. */
function refuseAt(server: Config["server"], config: Config): void {
  const [broken] = checkRules({ ...config, server });
  if (!broken) return;
  const { keys, message } = broken;
  throw new ConfigError(
    `${keys.join(".")}: ${message} Other settings under server hold once the gateway is started anew.`,
  );
}
