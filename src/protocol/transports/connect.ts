import { connect, type LookupFunction, type Socket } from "node:net";
import { WebSocket } from "ws";
import { CallError } from "../../core/index.ts";
import { CALL_PROTOCOL, MAX_ENVELOPE_BYTES, type Transport } from "../index.ts";
import { maxBytesIn } from "./accept-web-socket.ts";
import { toByteStreamTransport } from "./byte-stream.ts";
import { toWsTransport } from "./ws-transport.ts";

const HANDSHAKE_MS = 10_000;

/** Options of every connection. */
interface ConnectOptions {
  readonly signal?: AbortSignal | undefined;
  readonly maxEnvelopeBytes?: number | undefined;
}

/** Further options of a WebSocket. */
interface ConnectWsOptions extends ConnectOptions {
  /** Presented as `Authorization: Bearer`. */
  readonly token?: string | undefined;
  readonly heartbeatMs?: number | undefined;
  /** Finds the address of a name, and may refuse it. */
  readonly lookup?: LookupFunction | undefined;
  readonly handshakeMs?: number | undefined;
  /** Certificates as PEM, and the name that the server's must have. */
  readonly tls?:
    | { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly serverName?: string }
    | undefined;
}

/** Connects to a WebSocket from Node. */
export function connectWs(url: string | URL, options: ConnectWsOptions = {}): Promise<Transport> {
  const { serverName, ...certificates } = options.tls ?? {};
  const { token, signal, heartbeatMs, lookup, maxEnvelopeBytes = MAX_ENVELOPE_BYTES } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const webSocket = new WebSocket(url, [CALL_PROTOCOL], {
      perMessageDeflate: false,
      maxPayload: maxEnvelopeBytes,
      handshakeTimeout: options.handshakeMs ?? HANDSHAKE_MS,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
      ...(lookup && { lookup }),
      ...certificates,
      ...(serverName !== undefined && { servername: serverName }),
    });
    let socket: Socket | undefined;
    let maxSentBytes: number | undefined;
    const onAbort = () => {
      reject(signal?.reason);
      webSocket.terminate();
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    webSocket.once("upgrade", (response) => {
      socket = response.socket;
      maxSentBytes = maxBytesIn(response.headers);
    });
    webSocket.once("open", () => {
      signal?.removeEventListener("abort", onAbort);
      if (socket && webSocket.protocol === CALL_PROTOCOL) {
        resolve(toWsTransport({ webSocket, socket, maxSentBytes, heartbeatMs }));
        return;
      }
      webSocket.close(1000);
      reject(cannotConnect(`the server does not speak ${CALL_PROTOCOL}`));
    });
    webSocket.once("unexpected-response", (request, { statusCode = 0 }) => {
      request.destroy();
      reject(refusedWith(statusCode));
    });
    webSocket.once("error", (error) => {
      signal?.removeEventListener("abort", onAbort);
      reject(cannotConnect(error.message, error));
    });
  });
}

/** Target of a byte stream: a Unix socket, or a host and port. */
export type ByteStreamAddress = { readonly path: string } | { readonly host: string; readonly port: number };

/** Connects to a byte stream over TCP or a Unix socket. */
export function connectByteStream(
  address: ByteStreamAddress,
  { signal, maxEnvelopeBytes }: ConnectOptions = {},
): Promise<Transport> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const socket = connect(address);
    const onAbort = () => {
      reject(signal?.reason);
      socket.destroy();
    };
    const onError = (error: Error) => {
      signal?.removeEventListener("abort", onAbort);
      reject(cannotConnect(error.message, error));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.once("error", onError);
    socket.once("connect", () => {
      signal?.removeEventListener("abort", onAbort);
      socket.off("error", onError);
      resolve(toByteStreamTransport(socket, maxEnvelopeBytes));
    });
  });
}

function refusedWith(status: number): CallError {
  if (status === 401 || status === 403) {
    return new CallError(
      "UNAUTHORIZED_UPSTREAM",
      "The peer refused the token of this node. Check the token that is configured for it.",
    );
  }
  return cannotConnect(`it answered ${status} instead of opening a WebSocket`);
}

function cannotConnect(why: string, cause?: Error): CallError {
  return new CallError(
    "UNAVAILABLE",
    `The peer cannot be reached: ${why}. Check its address and that it runs.`,
    {
      cause,
    },
  );
}
