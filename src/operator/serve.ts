import { loadConfig } from "../adapters/index.ts";
import { type LoadConfigOptions, packageVersion } from "../config/index.ts";
import { messageOf } from "../core/index.ts";
import { type ConfiguredSurface, measureConfigured } from "../gateway/facets/index.ts";
import { type Gateway, startGateway } from "../gateway/index.ts";
import { createLog } from "../observe/index.ts";

/** A gateway that serves a configuration. Close it. */
export interface ServedGateway extends Pick<Gateway, "url" | "file" | "close"> {
  readonly version: string;
  readonly surface: ConfiguredSurface;
  /** True if callers need a token. */
  readonly needsToken: boolean;
  /** Number of sources in the configuration. */
  readonly sources: number;
  /** Reads the configuration again; if it cannot be used, the log says why and the old one stays. */
  reload(): Promise<void>;
}

interface ServeOptions extends LoadConfigOptions {
  readonly signal: AbortSignal;
  /** Facets to list, from PINHOLE_TOOLS. */
  readonly tools: string | undefined;
  /** Takes each line of the log; the error output unless given. */
  readonly writeLog: ((line: string) => void) | undefined;
}

/** Starts the gateway of a configuration. */
export async function serveConfig({
  tools,
  writeLog,
  signal,
  ...options
}: ServeOptions): Promise<ServedGateway> {
  const loaded = await loadConfig(options);
  const log = createLog(loaded.config.log.level, writeLog);
  const gateway = await startGateway({ ...options, signal, log, surviveStrayErrors: true });
  return {
    url: gateway.url,
    file: gateway.file,
    version: packageVersion(),
    surface: await measureConfigured(loaded, gateway.registry, tools),
    needsToken: !gateway.registry.snapshot().policy.anonymous,
    sources: Object.keys(loaded.config.sources).length,
    close: (how) => gateway.close(how),
    async reload() {
      try {
        await gateway.reload();
      } catch (error) {
        log.error("The config is not taken; the old one stays", { reason: messageOf(error) });
      }
    },
  };
}
