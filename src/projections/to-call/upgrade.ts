import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { CallError } from "../../core/index.ts";
import { CALL_PROTOCOL, tokenIn } from "../../protocol/index.ts";
import { createWebSocketAcceptor } from "../../protocol/transports/index.ts";
import type { CallProjection, Opener } from "./call-projection.ts";

/** The address of the call protocol. */
export const CALL_PATH = "/call-protocol";

/** The refusal of an upgrade. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Options of the WebSocket side. */
export interface UpgradeOptions {
  /** The first check of every request: names and origins of this server. */
  readonly guard?: (request: IncomingMessage) => Refusal | undefined;
  readonly heartbeatMs?: number;
  /** Refused callers are not told what refuses them. */
  readonly hidden?: boolean;
}

/** Answers an upgrade, by a WebSocket or by a refusal. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

/** Takes WebSockets at `/call-protocol`: a token first, 401 without where one is needed, then calls. */
export function createUpgradeHandler(
  projection: CallProjection,
  options: UpgradeOptions = {},
): UpgradeHandler {
  const accept = createWebSocketAcceptor({
    heartbeatMs: options.heartbeatMs,
    maxEnvelopeBytes: projection.maxReceivedBytes,
    unfinished: projection.unfinished,
  });
  return async (request, socket, head) => {
    // A client that hangs up meanwhile is not a failure of ours.
    const ignore = () => {};
    socket.on("error", ignore);
    const admitted = await admit(projection, request, options).catch(toRefusal);
    if (socket.destroyed) return;
    // Only now, because others may have come meanwhile.
    const noRoom = "status" in admitted ? undefined : projection.noRoomFor(admitted.identity);
    const opener = noRoom ? toRefusal(noRoom) : admitted;
    if ("status" in opener) {
      refuse(socket, opener, options);
      return;
    }
    socket.off("error", ignore);
    accept({ request, socket, head }, (transport) => projection.accept(transport, opener));
  };
}

async function admit(
  projection: CallProjection,
  request: IncomingMessage,
  { guard }: UpgradeOptions,
): Promise<Opener | Refusal> {
  const refused = guard?.(request);
  if (refused) return refused;
  if (pathOf(request) !== CALL_PATH) {
    return { status: 404, message: `WebSockets are taken at ${CALL_PATH}.` };
  }
  const offered = protocolsOf(request);
  if (offered.length > 0 && !offered.includes(CALL_PROTOCOL)) {
    return { status: 400, message: `Offer the subprotocol ${CALL_PROTOCOL}.` };
  }
  const token = bearerOf(request) ?? tokenIn(offered);
  if (token === undefined && !projection.anonymous()) {
    return { status: 401, message: "This gateway needs a token. Present it as Authorization: Bearer." };
  }
  const { identity } = await projection.gateway().enter(token);
  return { identity, token };
}

const STATUS: Readonly<Record<string, number>> = { FORBIDDEN: 401, RATE_LIMITED: 429 };

const CODES: Readonly<Record<number, string>> = {
  401: "FORBIDDEN",
  403: "FORBIDDEN",
  429: "RATE_LIMITED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

function toRefusal(error: unknown): Refusal {
  if (!(error instanceof CallError)) return { status: 500, message: "The request failed. Try again." };
  return { status: STATUS[error.code] ?? 503, message: error.message };
}

function refuse(socket: Duplex, refusal: Refusal, { hidden = false }: UpgradeOptions): void {
  // After an upgrade the server no longer watches the socket, and a refused client need not hang up.
  socket.once("finish", () => socket.destroy());
  const { head, body } = hidden ? HIDDEN : answerTo(refusal);
  const length = `content-length: ${Buffer.byteLength(body)}`;
  socket.end(`${[...head, "connection: close", length].join("\r\n")}\r\n\r\n${body}`);
}

const HIDDEN = { head: ["HTTP/1.1 404 Not Found", "content-type: text/plain"], body: "Not Found" };

function answerTo({ status, message }: Refusal): { readonly head: readonly string[]; readonly body: string } {
  const { code, retryable } = new CallError(CODES[status] ?? "INVALID_INPUT", message);
  const body = JSON.stringify({ error: { code, message, retryable } });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "content-type: application/json",
    ...(status === 401 ? ['www-authenticate: Bearer realm="pinhole"'] : []),
  ];
  return { head, body };
}

function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

function protocolsOf({ headers }: IncomingMessage): readonly string[] {
  const offered = headers["sec-websocket-protocol"] ?? "";
  return offered
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** The credential as presented; anything but a bearer token is an unknown token. */
function bearerOf({ headers }: IncomingMessage): string | undefined {
  if (headers.authorization === undefined) return undefined;
  return /^bearer +(\S+)\s*$/i.exec(headers.authorization)?.[1] ?? "";
}
