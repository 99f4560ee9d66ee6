import { measureSurface, packageVersion, startGateway } from "../../gateway/index.ts";
import { bannerOf } from "../banner.ts";
import type { Command, Invocation } from "../command.ts";
import { CONFIG_OPTIONS, configOptionsOf } from "../config-options.ts";

/** `pinhole serve`: runs the gateway until the program is asked to stop. */
export const serve: Command = {
  name: "serve",
  summary: "Starts the gateway.",
  description:
    "Reads pinhole.yaml and serves the operations of its sources. Without a configuration it serves a few " +
    "operations to try, to this machine only.",
  examples: [
    { line: "pinhole serve", meaning: "Serves what pinhole.yaml here says." },
    { line: "pinhole serve --port 8080", meaning: "Listens on another port." },
    { line: "pinhole serve --config team.yaml", meaning: "Reads another configuration." },
  ],
  options: CONFIG_OPTIONS,
  run: runGateway,
};

async function runGateway(invocation: Invocation): Promise<void> {
  const { terminal, stop } = invocation;
  const gateway = await startGateway(configOptionsOf(invocation));
  const facts = {
    version: packageVersion(),
    mcpUrl: `${gateway.url}/mcp`,
    file: gateway.file,
    surface: await measureSurface(gateway.registry),
  };
  terminal.print(bannerOf(facts, terminal.emphasise));
  await stopped(stop);
  terminal.print("Stopping: running calls may finish.");
  await gateway.close();
}

function stopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener("abort", () => resolve(), { once: true });
  });
}
