import { join } from "node:path";
import {
  createLog,
  type GatewayLog,
  type LogLevel,
  loadConfig,
  measureConfigured,
  packageVersion,
  startGateway,
} from "../../gateway/index.ts";
import { bannerOf } from "../banner.ts";
import type { Invocation, Terminal } from "../command.ts";
import { configOptionsOf } from "../config-options.ts";
import { readableLine } from "../log-line.ts";
import { withProgress } from "../progress.ts";
import { shellWord } from "../shell-word.ts";
import { stopped } from "../stopped.ts";

/** Runs the gateway until the program is asked to stop. */
export async function runServe(invocation: Invocation): Promise<void> {
  const { terminal, stop, env } = invocation;
  const options = await configOptionsOf(invocation);
  const { config } = await loadConfig(options);
  const gateway = await withProgress(terminal, "Bringing in the sources", () =>
    startGateway({
      ...options,
      signal: stop,
      ...(terminal.isWatched && { log: logForPeople(config.log.level, terminal) }),
    }),
  );
  const { policy } = gateway.registry.snapshot();
  const facts = {
    version: packageVersion(),
    url: gateway.url,
    file: gateway.file,
    surface: await measureConfigured(config, gateway.registry, env.PINHOLE_TOOLS),
    needsToken: !policy.anonymous,
    sources: Object.keys(config.sources).length,
    program: programFromSource(),
  };
  terminal.print(bannerOf(facts, terminal));
  await stopped(stop);
  terminal.print("Stopping: running calls may finish.");
  await gateway.close();
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
  return [process.execPath, join(import.meta.dirname, "../main.ts")].map(shellWord).join(" ");
}
