/** `pinhole/projections`: a runtime over MCP, plain HTTP and the call protocol, mounted in a server of one's own. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { DEFAULTS, makeNodeId, packageVersion } from "./config/index.ts";
import { type AccessPolicy, type Log, SILENT_LOG } from "./core/index.ts";
import {
  type AnswerOptions,
  createAnswers,
  createCallProtocol,
  notFound,
  RECHECK_MS,
  type Serving,
} from "./gateway/server/index.ts";
import type { UpgradeHandler } from "./projections/to-call/index.ts";
import { Listeners, openMcpProjection, Sessions } from "./projections/to-mcp/index.ts";
import { createHttpProjection, HTTP_PATHS } from "./projections/to-openapi/index.ts";
import type { Runtime } from "./runtime.ts";

/** Answers a request, as every server for the web platform's Request and Response takes it. */
export type RequestHandler = (request: Request) => Promise<Response>;

/** Answers a request of `node:http`; express and connect take it as it is. */
export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** Options of every projection. Limits, identities and the audit are those of the runtime. */
export interface MountOptions {
  readonly log?: Log;
  /** The credential of a request, which `resolveIdentity` of the runtime takes; its bearer token by default. */
  readonly tokenOf?: (request: Request) => string | undefined;
  /** Host names that requests may be addressed to; without identities only those of this machine, by default. */
  readonly allowedHosts?: readonly string[];
  /** Web origins whose pages may call. */
  readonly allowedOrigins?: readonly string[];
  /** Size of the largest body, 2 MiB by default. */
  readonly maxBodyBytes?: number;
  /** Ends streams that last, when the program is about to stop. */
  readonly signal?: AbortSignal;
}

/** Options of toMcp. */
export interface ToMcpOptions extends MountOptions {
  /** Signs what clients carry between two rounds of a call, and their session ids; replicas share it. Random by default. */
  readonly stateKey?: Uint8Array;
}

/** Options of toCall. Clients bring their token in a header, or as a page does, in the subprotocol. */
export interface ToCallOptions extends Omit<MountOptions, "tokenOf" | "signal"> {
  /** A unique name of this node, by which peers find loops; random by default. */
  readonly nodeId?: string;
}

/** The call protocol for one server. */
export interface CallHandler {
  /** For the event `upgrade` of a server of `node:http`. */
  readonly upgrade: UpgradeHandler;
  /** Refuses new callers, lets running calls finish for so long, 10 s by default, then closes all connections. */
  close(graceMs?: number): Promise<void>;
}

const GRACE_MS = 10_000;
const ANY_HOST = "0.0.0.0";

/**
 * Shows a runtime as the four MCP tools, at any address.
 *
 *     const mcp = toMcp(createRuntime({ sources, resolveIdentity }));
 *     http.createServer(toNodeHandler(mcp)).listen(8080);
 */
export function toMcp(runtime: Runtime, options: ToMcpOptions = {}): RequestHandler {
  const { registry, validator } = runtime;
  const { log = SILENT_LOG, stateKey = randomBytes(32), signal } = options;
  const listeners = new Listeners();
  const opened = openMcpProjection({
    ...DEFAULTS.mcp,
    registry,
    validator,
    stateKey,
    version: packageVersion(),
    log,
    listeners,
    sessions: { key: stateKey, endpoint: "", sessions: new Sessions(), most: DEFAULTS.limits.connections },
  });
  const recheck = async (tokens: boolean) => (await opened).recheck({ tokens });
  const stopFollowing = registry.onChange(() => void recheck(false));
  const rechecks = setInterval(() => void recheck(true), RECHECK_MS).unref();
  signal?.addEventListener("abort", () => {
    stopFollowing();
    clearInterval(rechecks);
    listeners.end();
  });
  const answers = createAnswers(answerOptionsOf(runtime, options));
  return async (request) => {
    const endpoint = await opened;
    return answers.mcp(request, () => endpoint);
  };
}

/** Shows a runtime as plain HTTP: `/search`, `/schema`, `/call`, `/batch`, `/subscribe` and `/openapi.json`. */
export function toHttp(runtime: Runtime, options: MountOptions = {}): RequestHandler {
  const answers = createAnswers(answerOptionsOf(runtime, options));
  return async (request) => {
    const { pathname } = new URL(request.url);
    const path = HTTP_PATHS.find((known) => known === pathname);
    return path === undefined ? notFound() : answers.http(request, path);
  };
}

/** Shows a runtime on the call protocol: WebSockets at `/call-protocol`. */
export function toCall(runtime: Runtime, options: ToCallOptions = {}): CallHandler {
  const { nodeId = makeNodeId(), ...rest } = options;
  const { upgrade, close } = createCallProtocol({
    ...answerOptionsOf(runtime, rest),
    nodeId,
    callProtocol: {},
    directory: process.cwd(),
    onConnected: () => {},
    onOfferRevoked: () => {},
  });
  return { upgrade, close: (graceMs = GRACE_MS) => close(graceMs) };
}

/** A handler for `node:http`, express and everything else that takes a listener of Node. */
export function toNodeHandler(handler: RequestHandler): NodeHandler {
  const listener = getRequestListener(handler, { overrideGlobalObjects: false });
  return async (incoming, outgoing) => {
    await listener(incoming, outgoing);
  };
}

/** Serves a runtime by the defaults of a configuration, under the policy of its registry. */
function answerOptionsOf(
  { registry, validator, gateway }: Runtime,
  { signal, log = SILENT_LOG, ...given }: MountOptions,
): AnswerOptions {
  const { server, http, limits } = DEFAULTS;
  const projection = createHttpProjection({
    registry,
    validator,

    heartbeatMs: http.heartbeatMs,
  });
  const servingUnder = ({ anonymous, identitiesConfigured }: AccessPolicy): Serving => ({
    gateway,
    anonymous,
    identitiesConfigured,
    mcp: new Map(),
    http: projection,
    maxConnectionsEach: limits.connections,
    metrics: () => "",
  });
  let { policy } = registry.snapshot();
  let serving = servingUnder(policy);
  return {
    maxBodyBytes: server.maxBodyBytes,
    maxNesting: server.maxNesting,
    allowedHosts: server.allowedHosts,
    allowedOrigins: server.allowedOrigins,
    // With identities, other machines may call, under any name of the server.
    host: policy.identitiesConfigured ? ANY_HOST : server.host,
    ...given,
    log,
    ...(signal && { stopping: signal }),
    serving() {
      const now = registry.snapshot().policy;
      if (now !== policy) [policy, serving] = [now, servingUnder(now)];
      return serving;
    },
  };
}
