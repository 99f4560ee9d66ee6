import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { type CloseReason, fromCloseFrame, type Receiver, type Transport, toCloseFrame } from "../index.ts";
import { gatherTo } from "./stream-output.ts";
import type { UnfinishedEnvelopes } from "./unfinished-envelopes.ts";

/** Time for the other side to answer a close frame. */
const LINGER_MS = 2_000;
/** The head of a control frame with its mask (RFC 6455, section 5.2). */
const CONTROL_BYTES = 6;

/** Options of a transport over a Node WebSocket. */
interface WsTransportOptions {
  /** An open WebSocket. */
  readonly webSocket: WebSocket;
  /** The socket below it. */
  readonly socket: Duplex;
  /** The largest envelope that the other side accepts, if it has said so. */
  readonly maxSentBytes?: number | undefined;
  /** Interval of pings; a side that has not answered by the next ping is gone. */
  readonly heartbeatMs?: number | undefined;
  /** Counter of unfinished envelopes. */
  readonly unfinished?: UnfinishedEnvelopes | undefined;
}

/** Envelopes as binary messages of a WebSocket. Nothing is read before the transport is opened. */
export function toWsTransport(options: WsTransportOptions): Transport {
  const { webSocket, socket, maxSentBytes, unfinished, heartbeatMs = 30_000 } = options;
  let receiver: Receiver | undefined;
  let gone: CloseReason | undefined;
  let bytesRead = -1;
  /** Bytes that have come in since the last whole message. */
  let waiting = 0;
  const gather = gatherTo(socket);

  webSocket.pause();
  const beat = setInterval(() => {
    // Bytes, not messages: in the middle of a large one no pong can be sent.
    const before = bytesRead;
    bytesRead = (socket as Socket).bytesRead;
    if (bytesRead === before) {
      lose({ code: "lost", message: "The peer gave no sign of life." });
      webSocket.terminate();
    } else webSocket.ping();
  }, heartbeatMs).unref();

  function wait(bytes: number): void {
    waiting = gone ? 0 : Math.max(0, bytes);
    unfinished?.waiting(socket, waiting, cut);
  }

  function finish(reason: CloseReason): boolean {
    if (gone) return false;
    gone = reason;
    wait(0);
    clearInterval(beat);
    return true;
  }

  function lose(reason: CloseReason): void {
    if (finish(reason)) receiver?.closed(reason);
  }

  function close(reason: CloseReason): void {
    if (!finish(reason)) return;
    const frame = toCloseFrame(reason);
    webSocket.close(frame.code, frame.reason);
    const timer = setTimeout(() => webSocket.terminate(), LINGER_MS);
    webSocket.once("close", () => clearTimeout(timer));
    // A transport that was never opened is paused, and no close frame could arrive.
    if (reason.code !== "flooded" && reason.code !== "stalled") webSocket.resume();
    // Otherwise ws would read on for the other side's close frame.
    else webSocket.pause();
  }

  function cut(reason: CloseReason): void {
    close(reason);
    receiver?.closed(reason);
  }

  if (unfinished) {
    // Before ws assembles messages from the chunk.
    socket.prependListener("data", (chunk: Buffer) => wait(waiting + chunk.byteLength));
    for (const sign of ["ping", "pong"] as const)
      webSocket.on(sign, (data) => wait(waiting - CONTROL_BYTES - data.byteLength));
  }
  webSocket.on("message", (data, isBinary) => {
    if (gone) return;
    wait(0);
    if (isBinary) receiver?.message(data as Buffer);
    else cut({ code: "protocol", message: "Envelopes are binary messages." });
  });
  webSocket.on("close", (code, reason) => lose(fromCloseFrame(code, reason.toString())));
  // A frame that is too large or against RFC 6455; ws closes with the code for it. The rest is told by close.
  webSocket.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith("WS_ERR_")) lose({ code: "protocol", message: `${error.message}.` });
  });

  return {
    maxSentBytes,
    open(given) {
      receiver = given;
      socket.on("drain", () => given.drained());
      if (gone) given.closed(gone);
      else webSocket.resume();
    },
    send(text) {
      if (gone) return true;
      // Bytes: a write that gathers texts would encode each of them again, and takes several times as long.
      return gather(() => webSocket.send(Buffer.from(text)));
    },
    close,
  };
}
