import { type CloseReason, createConnection, type Receiver } from "../../src/protocol/index.ts";
import { hostileJson } from "./json.ts";
import type { HostileKind } from "./kind.ts";
import { randomOf } from "./random.ts";

const MIB = 2 ** 20;
const TYPES = [
  "call.requested",
  "call.responded",
  "call.error",
  "call.credit",
  "call.aborted",
  "unknown",
] as const;

/** Envelopes of the call protocol: large ones, and floods of small ones to a node that has no use for them. */
export const envelopes: HostileKind = {
  name: "envelopes",
  cases: 700,
  generate(seed) {
    const random = randomOf(seed);
    const type = random.pick(TYPES);
    const count = random.below(3) === 0 ? 1 + random.below(20_000) : 1;
    const size = count === 1 ? 1 + random.below(2 * MIB - 1_000) : 1 + random.below(40);
    const { kind, text } = hostileJson(random, size);
    const payload = `{"operationId":"/a/b","code":"X","message":"","retryable":false,"n":1,"input":${text},"output":${text}}`;
    const messages = Array.from({ length: count }, (_, n) =>
      Buffer.from(`{"type":"${type}","id":"x${n}","payload":${payload}}`),
    );
    const bytes = messages.reduce((sum, { length }) => sum + length, 0);
    const hasService = random.below(2) === 0;
    return {
      title: `${count} of ${type} with ${kind}, ${bytes} bytes, ${hasService ? "served" : "not served"}`,
      bytes,
      run: () => receive(messages, hasService),
    };
  },
};

async function receive(
  messages: readonly Uint8Array[],
  hasService: boolean,
): Promise<"answered" | "refused"> {
  let receiver: Receiver | undefined;
  let ended: CloseReason | undefined;
  const connection = createConnection({
    transport: {
      open: (given) => {
        receiver = given;
      },
      send: () => true,
      close: (reason) => {
        ended = reason;
      },
    },
    limits: { maxReceivedBytes: 2 * MIB },
    ...(hasService && {
      service: {
        call: async () => null,
        subscribe: () => Promise.reject(new Error("There are no streams.")),
      },
    }),
  });
  // A socket brings some 64 KiB at a time.
  let inTurn = 0;
  for (const message of messages) {
    receiver?.message(message);
    inTurn += message.byteLength;
    if (inTurn < 65_536) continue;
    inTurn = 0;
    await new Promise(setImmediate);
  }
  const outcome = ended ? "refused" : "answered";
  connection.close();
  return outcome;
}
