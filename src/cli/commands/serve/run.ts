import { join } from "node:path";
import { loadConfig } from "../../../adapters/index.ts";
import { type LoadedConfig, packageVersion } from "../../../config/index.ts";
import { measureConfigured } from "../../../gateway/facets/index.ts";
import { type Gateway, startGateway } from "../../../gateway/index.ts";
import { createLog, type GatewayLog, type LogLevel } from "../../../observe/index.ts";
import { bannerOf } from "../../banner.ts";
import type { Invocation, Terminal } from "../../command.ts";
import { configOptionsOf } from "../../config-options.ts";
import { readableLine } from "../../log-line.ts";
import { withProgress } from "../../progress.ts";
import { shellWord } from "../../shell-word.ts";
import { stopped } from "../../stopped.ts";

/** So long clients may still send a request over an open connection; each is told that it was the last. */
const LINGER_MS = 500;

/** Runs the gateway until the program is asked to stop. */
export async function runServe(invocation: Invocation): Promise<void> {
  const { terminal, stop } = invocation;
  const options = await configOptionsOf(invocation);
  const loaded = await loadConfig(options);
  const { level } = loaded.config.log;
  const log = terminal.isWatched ? logForPeople(level, terminal) : createLog(level);
  const starting = withProgress(terminal, "Bringing in the sources", () =>
    startGateway({ ...options, signal: stop, log, surviveStrayErrors: true }),
  );
  const hangUp = () => void reload(starting, log);
  process.on("SIGHUP", hangUp);
  try {
    await serveUntilStopped(await starting, loaded, invocation);
  } finally {
    process.off("SIGHUP", hangUp);
  }
}

async function serveUntilStopped(
  gateway: Gateway,
  loaded: LoadedConfig,
  invocation: Invocation,
): Promise<void> {
  const { terminal, stop, env } = invocation;
  const { policy } = gateway.registry.snapshot();
  const facts = {
    version: packageVersion(),
    url: gateway.url,
    file: gateway.file,
    surface: await measureConfigured(loaded, gateway.registry, env.PINHOLE_TOOLS),
    needsToken: !policy.anonymous,
    sources: Object.keys(loaded.config.sources).length,
    program: programFromSource(),
  };
  terminal.print(bannerOf(facts, terminal));
  await stopped(stop);
  terminal.print("Stopping: running calls may finish.");
  await gateway.close({ lingerMs: LINGER_MS });
}

/** SIGHUP reloads the config. It also arrives when the terminal closes, and the gateway keeps running. */
async function reload(starting: Promise<Gateway>, log: GatewayLog): Promise<void> {
  try {
    await (await starting).reload();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.error("The config is not taken; the old one stays", { reason });
  }
}

function logForPeople(level: LogLevel, terminal: Terminal): GatewayLog {
  return createLog(level, (line) => {
    terminal.status("");
    terminal.printError(readableLine(line));
  });
}

/** In a clone nothing is installed as `pinhole`, and the Node of the machine may be too old; this one is not. */
function programFromSource(): string | undefined {
  if (!import.meta.filename.endsWith(".ts")) return undefined;
  return [process.execPath, join(import.meta.dirname, "../../main.ts")].map(shellWord).join(" ");
}
