import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { checkArguments, runAction, type ToolName } from "../../contract/index.ts";
import {
  type Call,
  CallError,
  type Caller,
  type Entrance,
  type OperationSpec,
  type Progress,
  parseTrace,
  type Registry,
  type SchemaValidator,
  type UnknownRecord,
  type WireCall,
} from "../../core/index.ts";
import type { InputRounds } from "./input-rounds.ts";
import { toBatchResult, toCallResult, toErrorResult, toServiceResult, toToolResult } from "./results.ts";
import { asMeant, callAsMeant, type FindOperation, QUERY_TOOL, reading, refuseWrites } from "./tool-calls.ts";

/** One of the gateway's own tools, or an operation that is listed as one. */
export type FoundTool = ToolName | typeof QUERY_TOOL | OperationSpec;

/** The caller of a tool, and its request. */
interface ToolCall {
  readonly entrance: Entrance;
  readonly context: ServerContext;
  readonly signal: AbortSignal;
  /** Maps the outcome to a result; as `call` does by default. */
  readonly show?: typeof toCallResult;
}

/** Runs a tool with the arguments of a caller. */
type RunTool = (
  tool: FoundTool,
  given: unknown,
  call: ToolCall,
) => Promise<CallToolResult | InputRequiredResult>;

/** Builds the way from a tools/call to dispatch and back; `findListed` knows the operations that are tools. */
export function createRunTool({
  registry,
  validator,
  rounds,
  findListed,
}: {
  readonly registry: Registry;
  readonly validator: SchemaValidator;
  readonly rounds: InputRounds;
  readonly findListed: (name: string, caller: Caller) => OperationSpec | undefined;
}): RunTool {
  async function callInRounds(
    call: Call,
    wire: WireCall,
    { entrance, context, signal, show = toCallResult }: ToolCall,
  ): Promise<CallToolResult | InputRequiredResult> {
    const round = rounds.begin(call, context);
    if (!round) return show(await entrance.call(call, wire));
    const envelope = await entrance.call(call, {
      ...wire,
      signal: AbortSignal.any([signal, round.signal]),
      requestInput: round.requestInput,
      resume: round.resume,
    });
    return (await round.question()) ?? show(envelope);
  }

  return async (tool, given, { entrance, context, signal }) => {
    const wire = { ...wireOf(context), signal };
    const find: FindOperation = (name) => findListed(name, entrance.caller)?.name;
    try {
      if (typeof tool !== "string") {
        const call = callAsMeant({ operation: tool.name, input: given ?? {} }, find);
        return await callInRounds(call, wire, { entrance, context, signal, show: toToolResult });
      }
      const action = tool === QUERY_TOOL ? "call" : tool;
      const written = asMeant(action, checkArguments(action, given, validator), find);
      if (action === "call") {
        const call = written as unknown as Call;
        if (tool === QUERY_TOOL) refuseWrites(call, registry.snapshot(), entrance.caller);
        const confined = tool === QUERY_TOOL ? reading(entrance) : entrance;
        return await callInRounds(call, wire, { entrance: confined, context, signal });
      }
      const answer = await runAction(
        entrance,
        { name: action, written },
        { ...wire, requestInput: refuseInBatch },
      );
      return "results" in answer ? toBatchResult(answer) : toServiceResult(answer);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const refusal = await entrance.refuse(error, signal);
      return toErrorResult(refusal.error, refusal.requestId);
    }
  };
}

/** A result can carry the questions of one call, and then no results of others. */
function refuseInBatch(): Promise<never> {
  const message =
    "This operation asks for input while it runs, which a batch cannot pass on. Run it with call if this client supports elicitation, or give the values in its input.";
  return Promise.reject(new CallError("INVALID_OPERATION_TYPE", message));
}

function wireOf(context: ServerContext): WireCall {
  const meta = (context.mcpReq._meta ?? {}) as UnknownRecord;
  return {
    trace: parseTrace(meta.traceparent, meta.tracestate),
    progress: meta.progressToken === undefined ? undefined : relayProgress(meta.progressToken, context),
  };
}

function relayProgress(progressToken: unknown, context: ServerContext): (update: Progress) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (update) => {
    // The protocol wants progress that grows, but handlers and the items of a batch need not keep to it.
    if (!(update.progress > last)) return;
    last = update.progress;
    const params = { progressToken: progressToken as string | number, ...update };
    // A client that is gone cannot be told; the call learns of it by its signal.
    void context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
