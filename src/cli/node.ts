import { answered } from "./answered.ts";
import { type Invocation, UsageError } from "./command.ts";
import { configOptionsOf } from "./config-options.ts";
import type { PinholeNode } from "./pinhole-node.ts";
import { withProgress } from "./progress.ts";
import { createRemoteNode } from "./remote-node.ts";

/** The node that a command line means: the running one that it names, otherwise the configuration here. */
export async function openNode(invocation: Invocation): Promise<PinholeNode> {
  const { options, env, stop } = invocation;
  const url = options.url ?? (options.config === undefined ? env.PINHOLE_URL : undefined);
  if (url === undefined) return openConfig(invocation);
  const given = options.url === undefined ? "PINHOLE_URL" : "--url";
  return createRemoteNode({ url: baseOf(url, given), token: tokenOf(invocation), signal: stop });
}

/** Does something with a node and lets go of it. */
export async function withNode<Result>(
  invocation: Invocation,
  use: (node: PinholeNode) => Promise<Result>,
): Promise<Result> {
  const node = await openNode(invocation);
  try {
    return await use(node);
  } finally {
    await node.close();
  }
}

async function openConfig(invocation: Invocation): Promise<PinholeNode> {
  const { terminal, stop } = invocation;
  const { loadCatalogue } = await import("../operator/index.ts");
  const options = await configOptionsOf(invocation);
  const catalogue = await withProgress(terminal, "Bringing in the sources", () =>
    loadCatalogue(options, { signal: stop }),
  );
  for (const { name, health, withheld = [] } of catalogue.report()) {
    if (withheld.length > 0)
      terminal.printError(
        `Without ${withheld.length} definitions of ${name} that are not accepted yet: pinhole lock shows them.`,
      );
    if (health.state === "healthy") continue;
    const reason = health.state === "unhealthy" ? health.reason : "it has not answered yet.";
    terminal.printError(`Without the source ${name}: ${reason}`);
  }
  return {
    where: catalogue.loaded.file ?? "the operations to try",
    ask: (action, input) => catalogue.ask(action, input, stop),
    async *follow(call) {
      try {
        yield* await catalogue.subscribe(call, stop);
      } catch (error) {
        const { CallError } = await import("../core/index.ts");
        if (error instanceof CallError) answered({ error: error.toJSON() });
        throw error;
      }
    },
    mcp: (request) =>
      catalogue.mcp(request, { token: namedToken(invocation), tools: invocation.env.PINHOLE_TOOLS }),
    close: () => catalogue.close(),
  };
}

/** The URL of the MCP endpoint means the same node. */
function baseOf(given: string, where: string): URL {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given))
    throw new UsageError(
      `${where}: ${JSON.stringify(given)} is not a URL. Write it as http://127.0.0.1:7464.`,
    );
  const url = new URL(given);
  url.pathname = url.pathname.replace(/\/mcp\/?$/, "/").replace(/\/*$/, "/");
  return url;
}

function tokenOf(invocation: Invocation): string | undefined {
  return namedToken(invocation) ?? (invocation.env.PINHOLE_TOKEN || undefined);
}

function namedToken({ options, env }: Invocation): string | undefined {
  const name = options["token-env"];
  if (name === undefined) return undefined;
  const token = env[name];
  if (!token) throw new UsageError(`--token-env: the environment variable ${name} is not set.`);
  return token;
}
