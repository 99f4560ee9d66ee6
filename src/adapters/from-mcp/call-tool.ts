import {
  type CallToolResult,
  type Client,
  isInputRequiredResult,
  type Tool,
} from "@modelcontextprotocol/client";
import { CallError, type OnceHandler, type OperationContext, type OperationSpec } from "../../core/index.ts";
import { ConnectionFailure, type McpConnection } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { toCallerError } from "./failure.ts";
import { type McpSourceOptions, TOKEN } from "./options.ts";
import { Questions } from "./questions.ts";
import { outputOf } from "./results.ts";

const MAX_ROUNDS = 10;

/** Runs a tool of the upstream for whoever calls its operation. */
export function handlerOfTool(
  tool: Tool,
  spec: OperationSpec,
  { connections, options }: { readonly connections: Connections; readonly options: McpSourceOptions },
): OnceHandler {
  // The SDK checks outputs against the schema that it is shown; dispatch does that here, by its own setting.
  const { outputSchema: _checkedByDispatch, ...toolDefinition } = tool;
  const isRepeatable =
    spec.type === "query" || (options.trustAnnotations && tool.annotations?.idempotentHint === true);

  return {
    kind: "once",
    async run(input, context) {
      const connection = connections.of(context.capabilities.get(TOKEN));
      const questions = new Questions(context, spec.name);
      let resumption = await questions.resume();
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const answer = await withUpstream(connection, { spec, context, isRepeatable }, (client) =>
          client.callTool(
            {
              name: tool.name,
              arguments: input as Record<string, unknown>,
              ...(resumption as object),
              ...traceOf(context),
            },
            { ...requestOptions(context, options), toolDefinition, allowInputRequired: true },
          ),
        );
        if (!isInputRequiredResult(answer)) return outputOf(answer as CallToolResult, spec.name);
        resumption = await questions.ask(answer);
      }
      throw new CallError(
        "MCP_TOOL_ERROR",
        `${spec.name} asked ${MAX_ROUNDS} times without coming to an end.`,
      );
    },
  };
}

interface Use {
  readonly spec: Pick<OperationSpec, "name">;
  readonly context: OperationContext;
  readonly isRepeatable: boolean;
}

/** Does something with the upstream; what fails, fails in words for the caller. */
export async function withUpstream<Result>(
  connection: McpConnection,
  { spec, context, isRepeatable }: Use,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  try {
    return await connection.use(work, { isRepeatable });
  } catch (error) {
    // Abort and timeout look alike to the SDK; the call's own signal tells them apart.
    context.signal.throwIfAborted();
    if (error instanceof ConnectionFailure) throw toCallerError(error.failure, spec.name);
    throw error;
  }
}

/** How long the upstream has, who may stop it, and where its progress goes. */
export function requestOptions(
  context: OperationContext,
  { timeoutMs }: Pick<McpSourceOptions, "timeoutMs">,
) {
  const left = context.deadline === undefined ? timeoutMs : Math.max(1, context.deadline - Date.now());
  const timeout = Math.min(timeoutMs, left);
  return {
    signal: context.signal,
    timeout,
    maxTotalTimeout: timeout,
    onprogress: ({
      progress,
      total,
      message,
    }: {
      progress: number;
      total?: number | undefined;
      message?: string | undefined;
    }) =>
      context.progress({
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      }),
  };
}

function traceOf({ trace }: OperationContext): object {
  return trace ? { _meta: { ...trace } } : {};
}
