import { measureSurface, packageVersion, startGateway } from "../../gateway/index.ts";
import { bannerOf } from "../banner.ts";
import type { Invocation } from "../command.ts";
import { configOptionsOf } from "../config-options.ts";
import { withProgress } from "../progress.ts";

/** Sources that every gateway has. */
const OWN_SOURCES: ReadonlySet<string> = new Set(["services", "sources"]);

/** Runs the gateway until the program is asked to stop. */
export async function runServe(invocation: Invocation): Promise<void> {
  const { terminal, stop } = invocation;
  const options = await configOptionsOf(invocation);
  const gateway = await withProgress(terminal, "Bringing in the sources", () => startGateway(options));
  const { policy, sources } = gateway.registry.snapshot();
  const facts = {
    version: packageVersion(),
    url: gateway.url,
    file: gateway.file,
    surface: await measureSurface(gateway.registry),
    needsToken: !policy.anonymous,
    sources: [...sources.keys()].filter((name) => !OWN_SOURCES.has(name)).length,
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
