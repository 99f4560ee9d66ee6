import type { CloseReason } from "./transport.ts";

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
