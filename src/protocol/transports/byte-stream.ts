import type { Socket } from "node:net";
import {
  type CloseReason,
  FrameReader,
  ProtocolViolation,
  type Receiver,
  type Transport,
  toFrame,
  writeEnvelope,
} from "../index.ts";
import { gatherTo } from "./stream-output.ts";
import type { UnfinishedEnvelopes } from "./unfinished-envelopes.ts";

/** Time for the other side to finish a closed stream. */
const LINGER_MS = 2_000;
const KEEP_ALIVE_MS = 30_000;

/**
 * Envelopes over a connected socket of TCP or Unix, each with its length in front. Nothing is read before
 * the transport is opened. The last envelope before this side closes has the reason.
 */
export function toByteStreamTransport(
  socket: Socket,
  maxEnvelopeBytes?: number,
  unfinished?: UnfinishedEnvelopes,
): Transport {
  const reader = new FrameReader(maxEnvelopeBytes);
  let receiver: Receiver | undefined;
  let gone = false;
  const gather = gatherTo(socket);

  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
  // A close event follows.
  let failure: Error | undefined;
  socket.on("error", (error) => {
    failure = error;
  });

  function take(chunk: Buffer): void {
    if (gone) return;
    try {
      for (const bytes of reader.push(chunk)) {
        if (gone) return;
        unfinished?.waiting(socket, 0, cut);
        receiver?.message(bytes);
      }
      unfinished?.waiting(socket, gone ? 0 : reader.waiting, cut);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      cut({ code: "protocol", message: error.message });
    }
  }

  function cut(reason: CloseReason): void {
    close(reason);
    receiver?.closed(reason);
  }

  function lose(): void {
    if (gone) return;
    gone = true;
    const where = reader.waiting > 0 ? " in the middle of an envelope" : "";
    const message = failure ? `The wire broke: ${failure.message}.` : `The peer hung up${where}.`;
    unfinished?.waiting(socket, 0, cut);
    receiver?.closed({ code: "lost", message });
  }

  function close(reason: CloseReason): void {
    if (gone) return;
    gone = true;
    unfinished?.waiting(socket, 0, cut);
    socket.end(toFrame(writeEnvelope("connection.closed", "", { reason: reason.message })));
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
    // Discard late input, which would keep the socket from closing.
    socket.resume();
  }

  return {
    open(given) {
      receiver = given;
      socket.on("data", take);
      socket.on("drain", () => given.drained());
      socket.once("end", lose);
      socket.once("close", lose);
      if (socket.destroyed) lose();
    },
    send(text) {
      if (gone) return true;
      return gather(() => socket.write(toFrame(text, Buffer.allocUnsafe)));
    },
    close,
  };
}
