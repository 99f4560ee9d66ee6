import type { CallToolResult, Client, InputRequiredResult, Tool } from "@modelcontextprotocol/client";
import {
  CallError,
  isRecord,
  measureJson,
  type OnceHandler,
  type OperationContext,
  type OperationSpec,
  timeLeft,
} from "../../core/index.ts";
import { TOKEN } from "../../credentials/index.ts";
import { ConnectionFailure, type Connections } from "./connection.ts";
import { toCallerError } from "./failure-errors.ts";
import type { McpSourceOptions } from "./options.ts";
import { closedTo, LiveQuestions, Questions, type Resumption } from "./questions.ts";
import { TOOL_ERROR } from "./tools.ts";

/** The server of a source, as its handlers call it. */
export interface Upstream {
  readonly connections: Connections;
  readonly options: Pick<McpSourceOptions, "timeoutMs" | "trustAnnotations" | "relayQuestions">;
}

/** The handler of an operation that is a tool of the upstream. */
export function handlerOfTool(tool: Tool, spec: OperationSpec, upstream: Upstream): OnceHandler {
  // The SDK would validate outputs against the schema; dispatch does that, by its own setting.
  const { outputSchema: _checkedByDispatch, ...toolDefinition } = tool;
  const isIdempotent = upstream.options.trustAnnotations && tool.annotations?.idempotentHint === true;
  const isRepeatable = spec.type === "query" || isIdempotent;

  return {
    kind: "once",
    async run(input, context) {
      const call = { name: spec.name, isRepeatable, context, upstream };
      const result = await ask(call, (client, resumption, options) =>
        client.callTool(
          {
            name: tool.name,
            arguments: input as Record<string, unknown>,
            ...(resumption as object),
            ...traceOf(context),
          },
          { ...options, toolDefinition, allowInputRequired: true },
        ),
      );
      return outputOf(result as CallToolResult, { what: spec.name, redact: context.redact });
    },
  };
}

interface UpstreamCall {
  readonly name: string;
  /** Running it twice does no harm. */
  readonly isRepeatable: boolean;
  readonly context: OperationContext;
  readonly upstream: Upstream;
}

/** Sends a request, and again with the answers to the questions of the upstream, until there is a result. */
export async function ask<Result>(
  { name, isRepeatable, context, upstream: { connections, options } }: UpstreamCall,
  send: (
    client: Client,
    resumption: Resumption,
    options: ReturnType<typeof requestOptions>,
  ) => Promise<Result | InputRequiredResult>,
): Promise<Result> {
  const connection = connections.of(context.capabilities.get(TOKEN));
  const caller = options.relayQuestions === false ? closedTo(name) : context;
  const live = new LiveQuestions(caller, context.signal, name);
  const call = { left: () => timeLeft(context), signal: context.signal };
  const use = { isRepeatable, asker: live.ask, call };
  return new Questions(caller, name).untilAnswered(async (resumption) => {
    try {
      const result = await connection.use((client) => {
        live.begin();
        return send(client, resumption, requestOptions(context, options));
      }, use);
      connections.answered?.();
      // A tool may cope with a question that could not be answered; only if it fails, that is the reason.
      if (live.refusal && isRecord(result) && result.isError === true) throw live.refusal;
      return result;
    } catch (error) {
      // Abort and timeout look alike to the SDK; the call's own signal tells them apart.
      context.signal.throwIfAborted();
      if (live.refusal) throw live.refusal;
      if (error instanceof ConnectionFailure) throw toCallerError(error.failure, { name, isRepeatable });
      throw error;
    }
  });
}

function requestOptions(context: OperationContext, { timeoutMs }: Pick<McpSourceOptions, "timeoutMs">) {
  const { signal } = context;
  const timeout = Math.max(1, Math.min(timeoutMs, timeLeft(context) ?? timeoutMs));
  return { signal, timeout, maxTotalTimeout: timeout, onprogress: progressTo(context) };
}

interface UpstreamProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

function progressTo(context: OperationContext) {
  return ({ progress, total, message }: UpstreamProgress) =>
    context.progress({
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });
}

function traceOf({ trace }: OperationContext): object {
  return trace ? { _meta: { ...trace } } : {};
}

const MAX_MESSAGE = 500;
/** Details are not capped as outputs are, and a huge error helps no caller. */
const MAX_DETAILS_BYTES = 65_536;
const MAX_DETAILS_TEXT = 10_000;

/** The output of a call: the structured content if there is some, otherwise content blocks. Text is never parsed. */
export function outputOf(
  result: CallToolResult,
  { what, redact }: { readonly what: string; readonly redact: OperationContext["redact"] },
): unknown {
  // Redacted before its text is cut: half a secret would not be recognised later.
  if (result.isError) throw toolError(redact(result), what);
  if (result.structuredContent !== undefined) return result.structuredContent;
  return { content: result.content ?? [] };
}

/** The error in the words of the tool. */
function toolError({ content, structuredContent }: CallToolResult, what: string): CallError {
  const text = (content ?? [])
    .map((block) => (block.type === "text" ? block.text : ""))
    .join(" ")
    .trim();
  const data = structuredContent === undefined ? { content } : { content, structuredContent };
  const isTooLarge = measureJson(data, MAX_DETAILS_BYTES).over;
  const start = [{ type: "text", text: shorten(text, MAX_DETAILS_TEXT) }];
  const words = shorten(text, MAX_MESSAGE);
  return new CallError(TOOL_ERROR.code, `${what} failed${words ? `: ${words}` : "."}`, {
    details: isTooLarge ? { content: start, truncated: true } : data,
  });
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
