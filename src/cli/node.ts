import {
  type ActionAnswer,
  createRemoteNode,
  type PinholeNode,
  UnreachableNode,
} from "../operator/node/index.ts";
import { CommandFailed, type Invocation, UsageError } from "./command.ts";
import { CALL_EXIT, configOptionsOf } from "./options.ts";
import { withProgress } from "./terminal.ts";

/** Opens the node that a command line means, does something with it, and closes it. */
export async function withNode<Result>(
  invocation: Invocation,
  use: (node: PinholeNode) => Promise<Result>,
): Promise<Result> {
  const node = await openNode(invocation);
  try {
    return await use(node);
  } catch (error) {
    if (!(error instanceof UnreachableNode)) throw error;
    const { message } = error;
    const json = { code: "UNREACHABLE", message, retryable: true };
    throw new CommandFailed(CALL_EXIT.unreachable, message, json);
  } finally {
    await node.close();
  }
}

/** The output of a node; throws an error that ends the command with its exit code. */
export function outputOf(answer: ActionAnswer): Readonly<Record<string, unknown>> {
  if (answer.error === undefined) return answer;
  const { code, message } = answer.error;
  const hint =
    code === "INVALID_OPERATION_TYPE"
      ? "\nHere: pinhole call for one answer, pinhole subscribe for a stream."
      : "";
  throw new CommandFailed(exitCodeFor(answer.error), `${code}: ${message}${hint}`, answer.error);
}

/** The exit code for an error that a node answered with. */
export function exitCodeFor({ code }: { readonly code: string }): number {
  if (code === "NOT_FOUND") return CALL_EXIT.notFound;
  if (code === "FORBIDDEN") return CALL_EXIT.forbidden;
  return code === "INVALID_INPUT" ? CALL_EXIT.invalidInput : 1;
}

/** The running node that the command line names, otherwise one from the configuration here. */
async function openNode(invocation: Invocation): Promise<PinholeNode> {
  const { options, env, stop } = invocation;
  const url = options.url ?? (options.config === undefined ? env.PINHOLE_URL : undefined);
  if (url === undefined) return openConfig(invocation);
  const given = options.url === undefined ? "PINHOLE_URL" : "--url";
  const token = namedToken(invocation) ?? (env.PINHOLE_TOKEN || undefined);
  return createRemoteNode({ url: baseOf(url, given), token, signal: stop });
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
      yield* await catalogue.subscribe(call, stop);
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

function namedToken({ options, env }: Invocation): string | undefined {
  const name = options["token-env"];
  if (name === undefined) return undefined;
  const token = env[name];
  if (!token) throw new UsageError(`--token-env: the environment variable ${name} is not set.`);
  return token;
}
