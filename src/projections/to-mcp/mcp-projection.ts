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
import { CORE_FACET, checkArguments, type Facet, runAction, type ToolName } from "../../contract/index.ts";
import {
  type Call,
  CallError,
  type Caller,
  createView,
  decideSight,
  type Entrance,
  type Entry,
  isRecord,
  normaliseName,
  type OperationSpec,
  type Progress,
  parseTrace,
  type Registry,
  type SchemaValidator,
  type UnknownRecord,
  type View,
  type WireCall,
} from "../../core/index.ts";
import {
  createMcpEndpoint,
  type McpCaller,
  type McpEndpoint,
  type McpEndpointOptions,
  type SdkCaller,
} from "./endpoint.ts";
import { createToolFinder } from "./facet-tools.ts";
import { createInputRounds } from "./input-rounds.ts";
import { type PlainCall, readPlainCall } from "./plain-call.ts";
import {
  toBatchResult,
  toCallResult,
  toErrorResult,
  tooManyRequests,
  toServiceResult,
  toToolResult,
} from "./results.ts";
import { lateSse, onceDecided } from "./streamed-answers.ts";
import {
  asMeant,
  callAsMeant,
  type FindOperation,
  QUERY_TOOL,
  reading,
  refuseWrites,
  toolOf,
  unknownTool,
} from "./tool-calls.ts";
import { createListed, instructionsFor, listTools } from "./tools.ts";

const LIST_IS_GOOD_FOR_MS = 60_000;

/** Options of the projection. */
export interface McpProjectionOptions extends McpEndpointOptions {
  readonly registry: Registry;
  readonly validator: SchemaValidator;
  readonly version: string;
  /** Signs what travels through a client between two rounds of a call; replicas share it. */
  readonly stateKey: Uint8Array;
  /** What is listed and reached: the four tools and everything, if nothing is said. */
  readonly facet?: Facet;
}

interface ToolCall {
  readonly entrance: Entrance;
  readonly context: ServerContext;
  readonly signal: AbortSignal;
  /** Maps the outcome to a result; as `call` does by default. */
  readonly show?: typeof toCallResult;
}

/** One of the gateway's own tools, or an operation that is listed as one. */
type FoundTool = ToolName | typeof QUERY_TOOL | OperationSpec;

/** Shows the registry as four MCP tools, and as what else a facet lists. */
export function createMcpProjection(options: McpProjectionOptions): McpEndpoint {
  const { registry, validator, facet = CORE_FACET } = options;
  const rounds = createInputRounds(options.stateKey);
  const toolsIn = createToolFinder(facet);
  const listed = createListed(registry, toolsIn);
  const instructions = instructionsFor(facet);
  const serverInfo = { name: "pinhole", title: "Pinhole", version: options.version };

  function serverFor({ era, authInfo }: McpRequestContext): Server {
    const { entrance, gone } = (authInfo as AuthInfo).extra as unknown as SdkCaller;
    const cacheScope = registry.snapshot().policy.identitiesConfigured ? "private" : "public";
    const cache = { ttlMs: LIST_IS_GOOD_FOR_MS, cacheScope } as const;
    const server = new Server(serverInfo, {
      capabilities: { tools: { listChanged: true } },
      ...(instructions !== undefined && { instructions }),
      cacheHints: { "tools/list": cache, "server/discover": cache },
      requestState: { verify: rounds.verify },
    });
    server.setRequestHandler("tools/list", () => ({
      tools: listTools(toolsIn(registry.snapshot()), entrance.caller),
    }));
    server.setRequestHandler("tools/call", ({ params }, context) => {
      const tool = find(params.name, entrance);
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknown(params.name, entrance));
      // Before 2026-07-28 the protocol does not count a closed connection as a cancel; without sessions
      // the answer could never be fetched, so here it is one.
      const signal =
        era === "legacy" ? AbortSignal.any([gone, context.mcpReq.signal]) : context.mcpReq.signal;
      return callTool(tool, params.arguments, { entrance, context, signal });
    });
    return server;
  }

  /** What a name means at this address; a tool that the caller may not see does not exist. */
  function find(name: string, { caller }: Entrance): FoundTool | undefined {
    if (facet.query && name === QUERY_TOOL) return QUERY_TOOL;
    const core = facet.core ? toolOf(name) : undefined;
    if (core) return core;
    return findListed(name, caller);
  }

  /** The operation that is listed as a tool of this name to the caller. */
  function findListed(name: string, caller: Caller): OperationSpec | undefined {
    const snapshot = registry.snapshot();
    const entry = toolsIn(snapshot).tools.get(name);
    const isOpen = entry && decideSight(entry.registration, caller, snapshot.policy) === "open";
    return isOpen ? entry.registration.spec : undefined;
  }

  function unknown(name: string, { caller }: Entrance): string {
    const snapshot = registry.snapshot();
    const listed = listTools(toolsIn(snapshot), caller).map((tool) => tool.name);
    return unknownTool(name, { listed, callable: callableLike(name, createView(snapshot, caller)) });
  }

  async function callTool(
    tool: FoundTool,
    given: unknown,
    { entrance, context, signal }: ToolCall,
  ): Promise<CallToolResult | InputRequiredResult> {
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
  }

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

  /** Without the SDK, which costs several times what everything else does; see decision 009. */
  async function answerPlain(
    { id, arguments: given, meta }: PlainCall,
    tool: FoundTool,
    { entrance, signal }: Pick<ToolCall, "entrance" | "signal">,
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

  /** Whether a request comes to dispatch, which asks for the limits itself. */
  function callsTool(body: unknown, entrance: Entrance): boolean {
    const params = isRecord(body) && body.method === "tools/call" && body.params;
    return isRecord(params) && typeof params.name === "string" && find(params.name, entrance) !== undefined;
  }

  /** Everything else that a client can ask for: lists, handshakes, tools and methods that there are not. */
  async function look(request: Request, caller: McpCaller): Promise<Response> {
    try {
      return await caller.entrance.look(() => endpoint.fetch(request, caller), request.signal);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return tooManyRequests(error, caller.body);
    }
  }

  /** The SDK answers older clients with a stream, which begins before their call has been admitted or refused. */
  async function callBySdk(request: Request, caller: McpCaller): Promise<Response> {
    const { promise: admitted, resolve: onAdmitted } = Promise.withResolvers<void>();
    const entrance = caller.entrance.with((next) => ({
      ...next,
      invoke: (call, root) => next.invoke(call, { ...root, onAdmitted }),
    }));
    return onceDecided(await endpoint.fetch(request, { ...caller, entrance }), admitted);
  }

  function confined(entrance: Entrance): Entrance {
    return entrance.within(facet.reach);
  }

  const endpoint = createMcpEndpoint(serverFor, {
    ...options,
    listed: (entrance) => listed(confined(entrance).caller),
    existsFor(entrance) {
      const { caller } = confined(entrance);
      const snapshot = registry.snapshot();
      const isOpen = ({ registration }: Entry) =>
        decideSight(registration, caller, snapshot.policy) === "open";
      return !facet.holds || toolsIn(snapshot).wanted.some(isOpen);
    },
  });
  return {
    ...endpoint,
    fetch(request, given) {
      const caller = { ...given, entrance: confined(given.entrance) };
      const { entrance, body } = caller;
      const plain = readPlainCall(request, body);
      const tool = plain && find(plain.name, entrance);
      if (!tool) return callsTool(body, entrance) ? callBySdk(request, caller) : look(request, caller);
      return lateSse(answerPlain(plain, tool, { entrance, signal: request.signal }), options);
    },
  };
}

/** The operation that a name means or is like, where `call` runs it. */
function callableLike(name: string, view: View): string | undefined {
  return [normaliseName(name), ...view.suggest(name)].find((each) => {
    const { sight, entry } = view.look(each) ?? {};
    return sight === "open" && entry?.registration.handler.kind === "once";
  });
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
