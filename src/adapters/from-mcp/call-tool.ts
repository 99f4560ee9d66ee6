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
import { ConnectionFailure, type Connections } from "./connection.ts";
import { toCallerError } from "./failure-errors.ts";
import { type McpSourceOptions, TOKEN } from "./options.ts";
import { closedTo, LiveQuestions, Questions, type Resumption } from "./questions.ts";
import { TOOL_ERROR } from "./tools.ts";

/** The server that a handler calls. */
export interface Upstream {
  readonly connections: Connections;
  readonly options: Pick<McpSourceOptions, "timeoutMs" | "trustAnnotations" | "relayQuestions">;
  /** Told of every call that the server has answered. */
  readonly onAnswered?: (() => void) | undefined;
}

/** Runs a tool of the upstream for whoever calls its operation. */
export function handlerOfTool(tool: Tool, spec: OperationSpec, upstream: Upstream): OnceHandler {
  // The SDK checks outputs against the schema that it is shown; dispatch does that here, by its own setting.
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

/** One call of an imported operation. */
interface UpstreamCall {
  readonly name: string;
  /** Running it twice does no harm. */
  readonly isRepeatable: boolean;
  readonly context: OperationContext;
  readonly upstream: Upstream;
}

/** Sends a request, and again with the answers to what the upstream asks, until it has a result. */
export async function ask<Result>(
  { name, isRepeatable, context, upstream: { connections, options, onAnswered } }: UpstreamCall,
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
      onAnswered?.();
      // What a tool makes of it that nobody answers is its own affair, unless it fails of it.
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

/** How long the upstream has, who may stop it, and where its progress goes. */
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
/** Details are not capped as outputs are, and an error that nobody can read helps nobody. */
const MAX_DETAILS_BYTES = 65_536;
const MAX_DETAILS_TEXT = 10_000;

/** The output of a call: data where the tool gives some, content blocks otherwise. Text is never parsed. */
export function outputOf(
  result: CallToolResult,
  { what, redact }: { readonly what: string; readonly redact: OperationContext["redact"] },
): unknown {
  // Its words are cut, and a secret that is cut in two is not recognised later.
  if (result.isError) throw toolError(redact(result), what);
  if (result.structuredContent !== undefined) return result.structuredContent;
  return { content: result.content ?? [] };
}

/** The tool's own words, for whoever called it. */
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
