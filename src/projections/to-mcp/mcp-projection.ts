import {
  type AuthInfo,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { CORE_FACET, type Facet } from "../../contract/index.ts";
import {
  CallError,
  type Caller,
  createView,
  type Entrance,
  isRecord,
  normaliseName,
  type OperationSpec,
  type Registry,
  type SchemaValidator,
  type View,
} from "../../core/index.ts";
import type { McpCaller, SdkCaller } from "./caller.ts";
import { createMcpEndpoint, type McpEndpoint, type McpEndpointOptions } from "./endpoint.ts";
import { createToolFinder, isSeen, showsAnything } from "./facet-tools.ts";
import { createInputRounds } from "./input-rounds.ts";
import { isId, type PlainCall, readPlainCall } from "./plain-call.ts";
import { tooManyRequests } from "./results.ts";
import { createRunTool, type FoundTool } from "./run-tool.ts";
import { lateSse, onceDecided } from "./streamed-answers.ts";
import { QUERY_TOOL, toolOf, unknownTool } from "./tool-calls.ts";
import { createListed, instructionsFor, listTools } from "./tools.ts";

/** Time for which clients may keep a list. */
const LIST_IS_GOOD_FOR_MS = 60_000;

/** Facts about a call that its answer needs; a call without a valid id is answered without one. */
type AnsweredCall = Pick<PlainCall, "arguments" | "meta"> & { readonly id: PlainCall["id"] | null };

/** Options of the projection. */
export interface McpProjectionOptions extends McpEndpointOptions {
  readonly registry: Registry;
  readonly validator: SchemaValidator;
  readonly version: string;
  /** Signs the state that travels through a client between two rounds of a call; replicas share it. */
  readonly stateKey: Uint8Array;
  /** The four tools, through which everything is reached, by default. */
  readonly facet?: Facet;
}

/** Shows the registry as the tools of a facet. */
export function createMcpProjection(options: McpProjectionOptions): McpEndpoint {
  const { registry, validator, facet = CORE_FACET } = options;
  const rounds = createInputRounds(options.stateKey);
  const toolsIn = createToolFinder(facet);
  const listed = createListed(registry, toolsIn);
  const instructions = instructionsFor(facet);
  const runTool = createRunTool({ registry, validator, rounds, findListed });
  const serverInfo = { name: "pinhole", title: "Pinhole", version: options.version };

  function serverFor({ era, authInfo }: McpRequestContext): Server {
    const { entrance, gone } = (authInfo as AuthInfo).extra as unknown as SdkCaller;
    const cacheScope = registry.snapshot().policy.identitiesConfigured ? "private" : "public";
    const cache = { ttlMs: LIST_IS_GOOD_FOR_MS, cacheScope } as const;
    const server = new Server(serverInfo, {
      // Before 2026-07-28 a client hears of changes on the stream of its session.
      capabilities: { tools: era === "legacy" && !options.sessions ? {} : { listChanged: true } },
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
      // Before 2026-07-28 the protocol does not count a closed connection as a cancel; here streams cannot
      // be resumed and the answer could never be fetched, so it is one.
      const signal =
        era === "legacy" ? AbortSignal.any([gone, context.mcpReq.signal]) : context.mcpReq.signal;
      return runTool(tool, params.arguments, { entrance, context, signal });
    });
    return server;
  }

  /** The tool of a name at this endpoint; a tool that the caller may not see does not exist. */
  function find(name: string, { caller }: Entrance): FoundTool | undefined {
    if (facet.query && name === QUERY_TOOL) return QUERY_TOOL;
    const core = facet.core ? toolOf(name) : undefined;
    if (core) return core;
    return findListed(name, caller);
  }

  /** The operation that is listed as a tool of this name to the caller. */
  function findListed(name: string, caller: Caller): OperationSpec | undefined {
    const snapshot = registry.snapshot();
    const tool = toolsIn(snapshot).tools.get(name);
    return tool && isSeen(tool, caller, snapshot) ? tool.spec : undefined;
  }

  function unknown(name: string, { caller }: Entrance): string {
    const snapshot = registry.snapshot();
    const listed = listTools(toolsIn(snapshot), caller).map((tool) => tool.name);
    return unknownTool(name, { listed, callable: callableLike(name, createView(snapshot, caller)) });
  }

  /** Answers without the SDK, which costs several times as much as everything else; see decision 009. */
  async function answerPlain(
    { id, arguments: given, meta }: AnsweredCall,
    tool: FoundTool,
    { entrance, signal }: { readonly entrance: Entrance; readonly signal: AbortSignal },
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
    const result = await runTool(tool, given, { entrance, context, signal });
    const _meta = { ...result._meta, "io.modelcontextprotocol/serverInfo": serverInfo };
    const answer = { jsonrpc: "2.0", id, result: { resultType: "complete", ...result, _meta } };
    return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
  }

  /** The tool that a request calls, and how; the SDK has not checked the rest of it yet. */
  function calledIn(
    body: unknown,
    entrance: Entrance,
  ): { readonly call: AnsweredCall; readonly tool: FoundTool } | undefined {
    if (!isRecord(body) || body.method !== "tools/call" || !isRecord(body.params)) return undefined;
    const { name, arguments: given } = body.params;
    const tool = typeof name === "string" ? find(name, entrance) : undefined;
    const id = isId(body.id) ? body.id : null;
    return tool && { tool, call: { id, arguments: isRecord(given) ? given : {}, meta: {} } };
  }

  /** All other requests: lists, handshakes, tools and methods that do not exist. */
  async function look(request: Request, caller: McpCaller): Promise<Response> {
    try {
      return await caller.entrance.look(() => endpoint.fetch(request, caller), request.signal);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return tooManyRequests(error, caller.body);
    }
  }

  /**
   * The SDK answers older clients with a stream, which begins before their call has been admitted or refused. What it
   * refuses itself never becomes a call, so the request is counted before.
   */
  async function callBySdk(
    request: Request,
    caller: McpCaller,
    { call, tool }: { readonly call: AnsweredCall; readonly tool: FoundTool },
  ): Promise<Response> {
    const { signal } = request;
    const reserved = await caller.entrance.reserve(signal);
    if (reserved.isRefused) return answerPlain(call, tool, { entrance: reserved.entrance, signal });
    try {
      const { promise: admitted, resolve: onAdmitted } = Promise.withResolvers<void>();
      const entrance = reserved.entrance.with((next) => ({
        ...next,
        invoke: (call, root) => next.invoke(call, { ...root, onAdmitted }),
      }));
      return await onceDecided(await endpoint.fetch(request, { ...caller, entrance }), admitted);
    } finally {
      reserved.release();
    }
  }

  function confined(entrance: Entrance): Entrance {
    return entrance.within(facet.reach);
  }

  const endpoint = createMcpEndpoint(serverFor, {
    ...options,
    listed: (entrance) => listed(confined(entrance).caller),
    existsFor: (entrance) => showsAnything(toolsIn(registry.snapshot()), confined(entrance).caller),
  });
  return {
    ...endpoint,
    fetch(request, given) {
      const caller = { ...given, entrance: confined(given.entrance) };
      const { entrance, body } = caller;
      // It belongs to a call that was counted: a caller at its limit can cancel, and answer.
      const delivered = endpoint.deliver(request, caller);
      if (delivered) return Promise.resolve(delivered);
      const plain = readPlainCall(request, body);
      const tool = plain && find(plain.name, entrance);
      if (!tool) {
        const called = calledIn(body, entrance);
        return called ? callBySdk(request, caller, called) : look(request, caller);
      }
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
