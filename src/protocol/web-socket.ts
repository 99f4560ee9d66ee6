import { CallError } from "../core/index.ts";
import type { CloseReason, Receiver, Transport } from "./ports.ts";

/** A WebSocket of a browser never says that it has room again, so it is asked. */
const ASK_AGAIN_MS = 20;
const HIGH_WATER_BYTES = 1024 * 1024;
const HANDSHAKE_MS = 10_000;

/** The part of a browser's WebSocket that is used. */
export interface WebSocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  readonly protocol: string;
  send(data: Uint8Array): void;
  close(code?: number, reason?: string): void;
  addEventListener(
    type: "open" | "message" | "close" | "error",
    // biome-ignore lint/suspicious/noExplicitAny: each platform and package has its own types of events
    listener: (event: any) => void,
  ): void;
}

/** The part of its events that is used. */
interface WebSocketEvent {
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
}

/** Options of connecting. */
export interface WebSocketOptions {
  /** Goes along as a subprotocol, because browsers cannot set headers. */
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Timeout of opening in milliseconds, 10 s by default. */
  readonly handshakeMs?: number | undefined;
  /** Opens the socket; the platform's WebSocket by default. */
  readonly open?: ((url: string, protocols: string[]) => WebSocketLike) | undefined;
}

/** Connects by the WebSocket that browsers, Node, Deno and Bun have. */
export async function connectWebSocket(
  url: string | URL,
  options: WebSocketOptions = {},
): Promise<Transport> {
  const { token, signal, handshakeMs = HANDSHAKE_MS, open = openNative } = options;
  signal?.throwIfAborted();
  const socket = open(String(url), [...toSubprotocols(token)]);
  socket.binaryType = "arraybuffer";
  const transport = toTransport(socket);
  await new Promise<void>((resolve, reject) => {
    const giveUp = (reason: unknown) => {
      reject(reason);
      socket.close();
    };
    const onAbort = () => giveUp(signal?.reason);
    const timer = setTimeout(() => giveUp(cannotConnect()), handshakeMs);
    const settled = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.addEventListener("open", () => {
      settled();
      resolve();
    });
    // A browser gives no reason, not even the status.
    socket.addEventListener("close", () => {
      settled();
      reject(cannotConnect());
    });
  });
  if (socket.protocol === CALL_PROTOCOL) return transport;
  socket.close(1000, `This side speaks ${CALL_PROTOCOL} only.`);
  throw new CallError("UNAVAILABLE", `The server does not speak ${CALL_PROTOCOL}. Check the address.`);
}

function toTransport(socket: WebSocketLike): Transport {
  let receiver: Receiver | undefined;
  const early: ArrayBuffer[] = [];
  let gone: CloseReason | undefined;
  let isAsking = false;

  function lose(reason: CloseReason): void {
    if (gone) return;
    gone = reason;
    receiver?.closed(reason);
  }

  function ask(): void {
    if (gone) return;
    if (socket.bufferedAmount > HIGH_WATER_BYTES) setTimeout(ask, ASK_AGAIN_MS);
    else {
      isAsking = false;
      receiver?.drained();
    }
  }

  socket.addEventListener("message", ({ data }: WebSocketEvent) => {
    if (gone) return;
    if (!(data instanceof ArrayBuffer)) {
      const reason: CloseReason = { code: "protocol", message: "Envelopes are binary messages." };
      close(reason);
      receiver?.closed(reason);
    } else if (receiver) receiver.message(new Uint8Array(data));
    else early.push(data);
  });
  socket.addEventListener("close", ({ code = 1006, reason = "" }: WebSocketEvent) =>
    lose(fromCloseFrame(code, reason)),
  );
  // A close event with the same information follows.
  socket.addEventListener("error", () => {});

  function close(reason: CloseReason): void {
    if (gone) return;
    gone = reason;
    const frame = toCloseFrame(reason);
    socket.close(frame.code, frame.reason);
  }

  const encoder = new TextEncoder();
  return {
    open(given) {
      receiver = given;
      for (const data of early.splice(0)) if (!gone) given.message(new Uint8Array(data));
      if (gone) given.closed(gone);
    },
    send(text) {
      if (gone) return true;
      socket.send(encoder.encode(text));
      if (socket.bufferedAmount <= HIGH_WATER_BYTES) return true;
      if (!isAsking) setTimeout(ask, ASK_AGAIN_MS);
      isAsking = true;
      return false;
    },
    close,
  };
}

function openNative(url: string, protocols: string[]): WebSocketLike {
  if (typeof WebSocket === "undefined") {
    throw new CallError("UNAVAILABLE", "This platform has no WebSocket. Give one by the option open.");
  }
  return new WebSocket(url, protocols);
}

function cannotConnect(): CallError {
  return new CallError(
    "UNAVAILABLE",
    "The connection could not be opened. Check the address and the token, and that the gateway is up.",
  );
}

/** The subprotocol that both sides of a WebSocket speak. */
export const CALL_PROTOCOL = "pinhole.call.v1";

const TOKEN_PREFIX = "pinhole.token.";

/** Subprotocols of a client: the protocol, and its token if it cannot set headers. */
export function toSubprotocols(token?: string): readonly string[] {
  return token === undefined ? [CALL_PROTOCOL] : [CALL_PROTOCOL, `${TOKEN_PREFIX}${toBase64Url(token)}`];
}

/** The token among offered subprotocols; empty, and so invalid, if it cannot be decoded. */
export function tokenIn(offered: readonly string[]): string | undefined {
  const found = offered.find((name) => name.startsWith(TOKEN_PREFIX));
  return found === undefined ? undefined : fromBase64Url(found.slice(TOKEN_PREFIX.length));
}

function toBase64Url(text: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): string {
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(bytes, (unit) => unit.charCodeAt(0)));
  } catch {
    return "";
  }
}

/** WebSocket close codes of the protocol: 1000, or codes that a browser may also send. */
const CODES: Readonly<Record<CloseReason["code"], number>> = {
  closed: 1000,
  leaving: 4001,
  protocol: 4400,
  stalled: 4408,
  flooded: 4429,
  lost: 4000,
};

const TOO_LARGE = 1009;
const MAX_REASON_BYTES = 123;

/** The code and the reason of the close frame. */
export function toCloseFrame({ code, message }: CloseReason): {
  readonly code: number;
  readonly reason: string;
} {
  let reason = message;
  while (new TextEncoder().encode(reason).byteLength > MAX_REASON_BYTES) reason = reason.slice(0, -1);
  return { code: CODES[code], reason };
}

/** Reason of a close by the other side, or of a broken connection. */
export function fromCloseFrame(code: number, reason: string): CloseReason {
  if (code === 1000) return { code: "closed", message: reason || "The peer closed it." };
  if (code === 1001 || code === CODES.leaving) {
    return { code: "leaving", message: reason || "The peer stops serving." };
  }
  const isRefusal = code === CODES.protocol || code === CODES.stalled || code === CODES.flooded;
  if (isRefusal || (code >= 1002 && code <= 1010 && code !== 1006)) {
    return {
      code: "closed",
      message: `The peer refused what it got (${code}): ${reason || unsaid(code)}`,
    };
  }
  return { code: "lost", message: reason || "The wire broke." };
}

function unsaid(code: number): string {
  return code === TOO_LARGE ? "A message was larger than it takes." : "It gave no reason.";
}
