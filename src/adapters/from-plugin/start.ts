import { resolve } from "node:path";
import { ConfigError, watchConfig } from "../../config/index.ts";
import {
  type CallError,
  createSourceRules,
  ImportError,
  type Imported,
  type KeptSource,
  keepImported,
  LONGEST_TIMER_MS,
  type OutboundFetch,
  type SourceSet,
} from "../../core/index.ts";
import { capabilitiesOf } from "../../credentials/index.ts";
import { type Outbound, OutboundError, toCallError } from "../../outbound/index.ts";
import type { Startable, StartSurroundings, UpstreamSource } from "../source/index.ts";
import type { PluginConfig } from "./config.ts";
import { OptionsError } from "./plugin-options.ts";
import { PluginModules } from "./plugins.ts";

/** Files are read again when they or the config change, not by a timer. */
const NEVER_MS = LONGEST_TIMER_MS;

/** Methods that do no harm when they are sent twice. */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Keeps a plugin loaded, and follows its files. If they can no longer be loaded, the last version stays and the source is unhealthy. */
export function startPlugin(
  wanted: Startable<PluginConfig>,
  { log, shared, outbound, watch, onSet }: StartSurroundings,
): UpstreamSource {
  const { name, config, directory, placeOf } = wanted;
  const plugins = shared(PluginModules);
  const file = { path: resolve(directory, config.plugin), options: config.options };
  const files = watchedFiles(watch, () => kept.changed());
  let inUse: SourceSet | undefined;
  let again = true;
  let isClosed = false;

  /** The set with the settings of the config; undefined if it is in use already. */
  function renewed(set: SourceSet): Imported | undefined {
    if (set === inUse || isClosed) return undefined;
    plugins.use(set);
    if (inUse) plugins.release(inUse, log);
    inUse = set;
    return asConfigured(wanted, set, outboundFetch(name, outbound(config.allowPrivate)));
  }

  async function attempt(): Promise<Imported | undefined> {
    const mayRepeat = again;
    again = false;
    // The version in use gets the new settings at once, even if the file cannot be loaded.
    const last = plugins.lastGood(file);
    const before = last && renewed(last);
    if (before) onSet(before.set);
    const loaded = await plugins.load(file, mayRepeat).catch((error: ImportError) => {
      files.watch(plugins.filesOf(file));
      const stays = inUse ? " The version before it stays in use." : "";
      const keys = error instanceof OptionsError ? ["options", ...error.keys] : ["plugin"];
      const place = placeOf(["sources", name, ...keys]);
      const { message } = new ConfigError([{ ...place, message: `${error.message}${stays}` }]);
      throw new ImportError(error.code, message, error);
    });
    files.watch(plugins.filesOf(file));
    if (last && loaded !== last) log.info?.("Loaded a plugin again", { source: name });
    return renewed(loaded) ?? before;
  }

  const kept: KeptSource = keepImported({ name, log, refreshMs: NEVER_MS, attempt, onSet });
  return {
    ...kept,
    close() {
      files.close();
      isClosed = true;
      if (inUse) plugins.release(inUse, log);
      inUse = undefined;
      return kept.close();
    },
    refresh() {
      again = true;
      return kept.refresh();
    },
  };
}

/** Watches a set of files that may change. One that cannot be watched is read again with the config. */
function watchedFiles(isWatching: boolean, onChange: () => void) {
  const watched = new Map<string, () => void>();
  let isClosed = !isWatching;
  function start(file: string): () => void {
    try {
      return watchConfig(file, onChange);
    } catch {
      return () => {};
    }
  }
  return {
    watch(files: readonly string[]): void {
      if (isClosed) return;
      for (const [file, stop] of watched) {
        if (files.includes(file)) continue;
        stop();
        watched.delete(file);
      }
      for (const file of files) if (!watched.has(file)) watched.set(file, start(file));
    },
    close(): void {
      isClosed = true;
      for (const stop of watched.values()) stop();
    },
  };
}

function asConfigured(
  { name, config, secrets }: Startable<PluginConfig>,
  set: SourceSet,
  fetch: OutboundFetch,
): Imported {
  const { title, description, external, scopes, operations, public: isPublic } = config;
  const rules = createSourceRules({
    external: external === undefined ? undefined : [external].flat().map(String),
    scopes,
    operations,
  });
  const configured = capabilitiesOf(name, secrets);
  const registrations = set.registrations.map((registration) => {
    const capabilities = configured ?? registration.capabilities;
    return {
      ...registration,
      spec: rules.apply(registration.spec),
      public: isPublic,
      fetch,
      ...(capabilities && { capabilities }),
    };
  });
  const source = {
    ...set.source,
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
  const { ownership, routes } = set;
  // Named one by one: the mark of the gateway's own sets must not come along.
  const kept = { source, registrations, ...(ownership && { ownership }), ...(routes && { routes }) };
  return { set: kept, leftOut: [], warnings: rules.problems() };
}

/** The fetch of a plugin's handlers: its failures are errors of calls. */
function outboundFetch(name: string, outbound: Outbound): OutboundFetch {
  return async (url, init) => {
    const repeatable = REPEATABLE.has((init.method ?? "GET").toUpperCase());
    const toError = (error: unknown): unknown =>
      error instanceof OutboundError ? (toCallError(error, name, { repeatable }) satisfies CallError) : error;
    const response = await outbound.fetch(url, init).catch((error: unknown) => {
      throw toError(error);
    });
    return withErrors(response, toError);
  };
}

/** The same response, with the errors of its body converted. */
function withErrors(response: Response, toError: (error: unknown) => unknown): Response {
  const reader = response.body?.getReader();
  if (!reader) return response;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(toError(error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}
