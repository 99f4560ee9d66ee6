import {
  type AuthInfo,
  type CallToolResult,
  type InputRequiredResult,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  type Call,
  CallError,
  type Entrance,
  type Progress,
  type Registry,
  type SchemaValidator,
  type Trace,
  type UnknownRecord,
  type WireCall,
} from "../../core/index.ts";
import { checkArguments, type ToolName } from "../contract.ts";
import { createMcpEndpoint, type McpEndpoint, type McpEndpointOptions, type Visit } from "./endpoint.ts";
import { createInputRounds } from "./input-rounds.ts";
import { lateSse } from "./late-sse.ts";
import { type PlainCall, readPlainCall } from "./plain-call.ts";
import { fromBatch, fromCall, fromError, fromService } from "./results.ts";
import { toolOf, unknownTool } from "./tool-names.ts";
import { INSTRUCTIONS, listTools } from "./tools.ts";

const LIST_IS_GOOD_FOR_MS = 60_000;

/** What the projection is made of. */
export interface McpProjectionOptions extends McpEndpointOptions {
  readonly registry: Registry;
  readonly validator: SchemaValidator;
  readonly version: string;
  /** Signs what travels through a client between two rounds of a call; replicas share it. */
  readonly stateKey: Uint8Array;
}

interface ToolCall {
  readonly entrance: Entrance;
  readonly context: ServerContext;
  readonly signal: AbortSignal;
}

/** Shows the registry as four MCP tools. */
export function createMcpProjection(options: McpProjectionOptions): McpEndpoint {
  const { registry, validator } = options;
  const rounds = createInputRounds(options.stateKey);
  const serverInfo = { name: "pinhole", title: "Pinhole", version: options.version };

  function serverFor({ era, authInfo }: McpRequestContext): Server {
    const { entrance, gone } = (authInfo as AuthInfo).extra as unknown as Visit;
    const cacheScope = registry.snapshot().policy.identitiesConfigured ? "private" : "public";
    const cache = { ttlMs: LIST_IS_GOOD_FOR_MS, cacheScope } as const;
    const server = new Server(serverInfo, {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { "tools/list": cache, "server/discover": cache },
      requestState: { verify: rounds.verify },
    });
    server.setRequestHandler("tools/list", () => ({
      tools: listTools(registry.snapshot(), entrance.identity),
    }));
    server.setRequestHandler("tools/call", ({ params }, context) => {
      const tool = toolOf(params.name);
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(params.name));
      // Before 2026-07-28 the protocol does not count a closed connection as a cancel; without sessions
      // nobody could ever fetch the answer, so here it is one.
      const signal =
        era === "legacy" ? AbortSignal.any([gone, context.mcpReq.signal]) : context.mcpReq.signal;
      return callTool(tool, params.arguments, { entrance, context, signal });
    });
    return server;
  }

  async function callTool(
    tool: ToolName,
    given: unknown,
    { entrance, context, signal }: ToolCall,
  ): Promise<CallToolResult | InputRequiredResult> {
    const wire = { ...wireOf(context), signal };
    try {
      const written = checkArguments(tool, given, validator);
      switch (tool) {
        case "search":
          return fromService(
            await entrance.call({ operation: "services/search", input: withoutStreams(written) }, wire),
          );
        case "schema":
          return fromService(await entrance.call({ operation: "services/schema", input: written }, wire));
        case "batch":
          return fromBatch(
            await entrance.batch(written.calls as unknown[], { ...wire, requestInput: refuseInBatch }),
          );
        case "call":
          return await callInRounds(written as unknown as Call, wire, { entrance, context, signal });
      }
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return fromError(error.toJSON(), crypto.randomUUID());
    }
  }

  async function callInRounds(
    call: Call,
    wire: WireCall,
    { entrance, context, signal }: ToolCall,
  ): Promise<CallToolResult | InputRequiredResult> {
    const round = rounds.begin(call, context);
    if (!round) return fromCall(await entrance.call(call, wire));
    const envelope = await entrance.call(call, {
      ...wire,
      signal: AbortSignal.any([signal, round.signal]),
      requestInput: round.requestInput,
      resume: round.resume,
    });
    return (await round.question()) ?? fromCall(envelope);
  }

  /** Without the SDK, which costs several times what everything else does; see decision 009. */
  async function answerPlain(
    { id, tool, arguments: given, meta }: PlainCall,
    entrance: Entrance,
    signal: AbortSignal,
  ): Promise<Response> {
    const mcpReq = {
      method: "tools/call",
      _meta: meta,
      envelope: meta,
      signal,
      requestState: () => undefined,
    };
    const http = { authInfo: { clientId: entrance.identity.id } };
    const context = { mcpReq, http } as unknown as ServerContext;
    const result = await callTool(tool, given, { entrance, context, signal });
    const _meta = { ...result._meta, "io.modelcontextprotocol/serverInfo": serverInfo };
    const answer = { jsonrpc: "2.0", id, result: { resultType: "complete", ...result, _meta } };
    return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
  }

  const endpoint = createMcpEndpoint(serverFor, options);
  return {
    ...endpoint,
    fetch(request, caller) {
      const plain = readPlainCall(request, caller.body);
      if (!plain) return endpoint.fetch(request, caller);
      return lateSse(answerPlain(plain, caller.entrance, request.signal), options);
    },
  };
}

/** A stream cannot be carried in a tool's result, so what streams is not found here. */
function withoutStreams(written: UnknownRecord): UnknownRecord {
  const types = [written.type ?? ["query", "mutation"]].flat();
  return { ...written, type: types.filter((type) => type !== "subscription") };
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
    trace: traceOf(meta),
    progress: meta.progressToken === undefined ? undefined : relayProgress(meta.progressToken, context),
  };
}

function traceOf({ traceparent, tracestate }: UnknownRecord): Trace | undefined {
  if (typeof traceparent !== "string") return undefined;
  return typeof tracestate === "string" ? { traceparent, tracestate } : { traceparent };
}

function relayProgress(progressToken: unknown, context: ServerContext): (update: Progress) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (update) => {
    // The protocol wants progress that grows, but nobody makes a handler, or the items of a batch, keep to it.
    if (!(update.progress > last)) return;
    last = update.progress;
    const params = { progressToken: progressToken as string | number, ...update };
    // A client that is gone cannot be told; the call learns of it by its signal.
    void context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
