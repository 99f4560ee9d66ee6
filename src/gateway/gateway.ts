import { setMaxListeners } from "node:events";
import { resolve } from "node:path";
import { checkRules, loadConfig } from "../adapters/index.ts";
import {
  type Config,
  ConfigError,
  type LoadConfigOptions,
  type LoadedConfig,
  takenAway,
  watchConfig,
} from "../config/index.ts";
import { messageOf, type Overlay, type Registry, type Route } from "../core/index.ts";
import { createLog, type GatewayLog } from "../observe/index.ts";
import { renewServices } from "../services/search/index.ts";
import { assemble } from "./assemble.ts";
import { lockPath } from "./lock/index.ts";
import { searchOptionsOf } from "./open-sources.ts";
import { createApp, createCallProtocol, createDecoy, listen, readCertificate } from "./server/index.ts";
import { createGatewayState } from "./state.ts";

const GRACE_MS = 10_000;

/** Options of a start. */
export interface StartOptions extends LoadConfigOptions {
  /** Used in place of the log that the config asks for. */
  readonly log?: GatewayLog;
  /** Makes operations that only one caller has, on every wire; asked once for each, and again after a reload. */
  readonly overlay?: Overlay;
  /** HTTP addresses of the program beside those of the gateway; no agent is told of them. */
  readonly routes?: readonly Route[];
  /** Follow changes of the config file and of plugins; on unless it is false. */
  readonly watch?: boolean;
  /**
   * Keep the process alive through errors outside of calls, as a forgotten await in a plugin causes them: logged with the
   * source, and counted. For a program that only runs the gateway.
   */
  readonly surviveStrayErrors?: boolean;
  /** Ends a start that is under way; it does nothing to a running gateway. */
  readonly signal?: AbortSignal;
}

/** A running gateway. */
export interface Gateway {
  readonly url: string;
  /** The config file that it follows, if there is one. */
  readonly file: string | undefined;
  readonly registry: Registry;
  /** Reads the config again; on any error the old one stays in force and the error is thrown. */
  reload(): Promise<void>;
  /** Finishes running calls, then stops. Until `lingerMs` have passed, requests over open connections are answered as their last. */
  close(options?: { readonly lingerMs?: number }): Promise<void>;
}

/** Reads the config, imports its sources and serves them. */
export async function startGateway(options: StartOptions): Promise<Gateway> {
  const loaded = await loadConfig(options);
  const { server } = loaded.config;
  const isWatching = options.watch !== false;
  const certificateNow = () => server.tls && readCertificate(server.tls, loaded);
  const certificate = certificateNow();
  const decoy = createDecoy(loaded);
  const state = createGatewayState(options.log ?? createLog(loaded.config.log.level), {
    nodeId: server.callProtocol.nodeId,
    overlay: options.overlay,
    routes: options.routes,
    watch: isWatching,
  });
  const { registry, log } = state;
  if (certificate) state.secrets.add([certificate.key]);
  const stopSurviving = options.surviveStrayErrors ? state.observers.strayErrors.survive() : () => {};
  let loads = 0;
  let { search } = loaded.config;
  let inForce = loaded;
  let reloads: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const reloaded = new EventTarget();
  // One listener for each stream.
  setMaxListeners(0, reloaded);
  const closeAndThrow = async (error: unknown): Promise<never> => {
    await state.close();
    stopSurviving();
    throw error;
  };
  const first = await assemble(loaded, state, loads).catch(closeAndThrow);
  await first.importSources(options.signal).catch(closeAndThrow);
  let { serving } = first;

  const app = createApp({
    ...server,
    decoy,
    log,
    serving: () => serving,
    boundUrl: () => http.url,
    reloads: reloaded,
    stopping: stopping.signal,
  });
  const calls = createCallProtocol({
    ...server,
    directory: loaded.directory,
    hidden: decoy !== undefined,
    serving: () => serving,
    nodeId: state.nodeId,
    log,
    onConnected: (peer) => state.peers.joined(peer),
    onOfferRevoked: (connection) => state.peers.offers.withdraw(connection),
  });
  const http = await listen({
    host: server.host,
    port: server.port,
    certificate,
    fetch: (request) => app.fetch(request),
    upgrade: calls.upgrade,
    decoy,
  }).catch(closeAndThrow);
  await calls.listen().catch(async (error: unknown) => {
    await Promise.all([calls.close(0), http.close(0)]);
    return closeAndThrow(error);
  });

  async function reloadNow(): Promise<void> {
    if (stopping.signal.aborted) throw new Error("The gateway is closed and cannot take another config.");
    const next = await loadConfig(options);
    const lost = takenAway(inForce, next);
    if (lost.length > 0) throw new ConfigError(lost);
    refuseAt(server, next.config);
    const renewed = certificateNow();
    const assembled = await assemble(next, state, ++loads);
    serving = assembled.serving;
    inForce = next;
    if (renewed) http.renew(renewed);
    reloaded.dispatchEvent(new Event("reload"));
    await Promise.all([calls.recheck(), state.endpoints.recheck()]);
    await assembled.importSources();
    if (JSON.stringify(next.config.server) !== JSON.stringify(server)) {
      log.warn("The settings under server take effect at the next start", { file: next.file });
    }
    if (JSON.stringify(next.config.search) !== JSON.stringify(search)) {
      search = next.config.search;
      const options = searchOptionsOf(search, state.nodeId);
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

  /** The two files of a renewed certificate change one after the other: a pair that does not match yet is tried at the next change. */
  function renewCertificate(): void {
    try {
      const renewed = certificateNow();
      if (renewed) http.renew(renewed);
      log.info("Renewed the certificate");
    } catch (error) {
      log.warn("The certificate is not taken; the old one stays", { reason: messageOf(error) });
    }
  }
  const reloadOrLog = () =>
    reload().catch((error: unknown) =>
      log.error("The config is not taken; the old one stays", { reason: messageOf(error) }),
    );
  const watchers =
    loaded.file !== undefined && isWatching
      ? [
          watchConfig(loaded.file, reloadOrLog),
          watchConfig(lockPath(loaded.directory), () => state.lockGate.reread(), { reportGone: true }),
        ]
      : [];
  if (certificate && isWatching)
    watchers.push(...certificate.files.map((file) => watchConfig(file, renewCertificate)));

  if (isWatching) watchers.push(...secretFilesOf(loaded).map((file) => watchConfig(file, reloadOrLog)));

  return {
    url: http.url,
    file: loaded.file,
    registry,
    reload,
    async close({ lingerMs = 0 } = {}) {
      stopping.abort();
      for (const stopWatching of watchers) stopWatching();
      state.endpoints.endListening();
      await Promise.all([calls.close(GRACE_MS), http.close(GRACE_MS, lingerMs)]);
      // A reload that imports sources goes on until they are closed, and then opens nothing more.
      await state.upstreams.close();
      await reloads;
      await state.close();
      stopSurviving();
    },
  };
}

/** Files of the gateway's own secrets; those of sources are read again by the sources. */
function secretFilesOf({ config: { server, telemetry }, directory }: LoadedConfig): readonly string[] {
  const references = [...(server.stateKey ? [server.stateKey] : []), ...Object.values(telemetry.headers)];
  return references.flatMap(({ file }) => (file === undefined ? [] : [resolve(directory, file)]));
}

/** Only a start changes where the gateway listens, so a new config must also fit the address that is in use. */
function refuseAt(server: Config["server"], config: Config): void {
  const [broken] = checkRules({ ...config, server });
  if (!broken) return;
  const { keys, message } = broken;
  throw new ConfigError(
    `${keys.join(".")}: ${message} Other settings under server take effect at the next start.`,
  );
}
