import { toFrame } from "../../src/protocol/index.ts";
import type { SeenEnvelope, WireEnd } from "./call-wire.ts";

const TYPES = [
  "call.requested",
  "call.requested",
  "call.requested",
  "call.responded",
  "call.responded",
  "call.completed",
  "call.aborted",
  "call.error",
  "call.progress",
  "call.credit",
  "call.credit",
];

const GARBAGE: readonly unknown[] = [
  null,
  [],
  "text",
  {},
  { type: "call.responded" },
  { type: "call.responded", id: 7, payload: {} },
  { type: "call.unheard-of", id: "x", payload: {} },
  { type: "constructor", id: "x", payload: {} },
  { type: "call.requested", id: "", payload: { operationId: "/a/b" } },
  { type: "call.requested", id: "x", payload: { operationId: 7 } },
  { type: "call.requested", id: "x", payload: { operationId: "/a/b", deadlineMs: -1 } },
  { type: "call.requested", id: "x", payload: { operationId: "/a/b", hops: "a" } },
  { type: "call.credit", id: "x", payload: { n: 0 } },
  { type: "call.credit", id: "x", payload: { n: 1e300 } },
  { type: "call.error", id: "x", payload: { code: "X" } },
  { type: "call.progress", id: "x", payload: { progress: "x" } },
  { type: "call.responded", id: "x", payload: {} },
];

/** Sends what the bytes of a schedule say, whether it makes sense or not. */
export class HostilePeer {
  readonly #end: WireEnd;
  /** Ids that the other side uses for its calls, to be answered, forged and taken over. */
  readonly #seen: string[] = [];
  /** Ids that it has used itself. */
  readonly #used: string[] = [];
  #count = 0;

  constructor(end: WireEnd) {
    this.#end = end;
  }

  sees({ type, id }: SeenEnvelope): void {
    if (type === "call.requested") this.#seen.push(id);
  }

  /** An envelope of the right form with an id that may be anyone's. */
  envelope(what: number, whose: number, second: number): SeenEnvelope {
    const type = TYPES[what % TYPES.length] ?? "";
    return { type, id: this.#idFor(type, whose), payload: payloadOf(type, second) };
  }

  send(envelope: SeenEnvelope): void {
    this.#end.sendRaw(toFrame(JSON.stringify(envelope)));
  }

  /** Messages that are not envelopes. */
  sendGarbage(what: number): void {
    const kind = what % (GARBAGE.length + 4);
    if (kind < GARBAGE.length) this.#end.sendRaw(toFrame(JSON.stringify(GARBAGE[kind])));
    else if (kind === GARBAGE.length) this.#end.sendRaw(new Uint8Array([0, 0, 0, 0]));
    else if (kind === GARBAGE.length + 1) this.#end.sendRaw(new Uint8Array([255, 0, 0, 0, 1]));
    else if (kind === GARBAGE.length + 2) this.#end.sendRaw(new Uint8Array([0, 0, 0, 2, 0xc3, 0x28]));
    else this.#end.sendRaw(toFrame("[".repeat(300)));
  }

  /** Mostly ids that fit, so that more than the first envelope gets through. */
  #idFor(type: string, whose: number): string {
    const isAnswer = type === "call.responded" || type === "call.completed" || type === "call.error";
    if (type === "call.requested" && whose % 16 !== 0) return this.#fresh();
    const own = this.#used[whose % Math.max(1, this.#used.length)];
    const theirs = this.#seen[whose % Math.max(1, this.#seen.length)];
    if (whose % 8 === 0) return (isAnswer ? own : theirs) ?? "forged";
    return (isAnswer ? theirs : own) ?? "unknown";
  }

  #fresh(): string {
    const id = `h${this.#count++}`;
    this.#used.push(id);
    return id;
  }
}

function payloadOf(type: string, second: number): Readonly<Record<string, unknown>> {
  switch (type) {
    case "call.requested":
      return {
        operationId: "/sim/any",
        input: { number: -1 - second, mode: "value", items: second % 60, gated: second % 3 === 0 },
        stream: second % 2 === 0,
        ...(second % 5 === 0 && { deadlineMs: second }),
      };
    case "call.responded":
      return { output: { forged: second } };
    case "call.error":
      return { code: "DRY", message: "No.", retryable: false };
    case "call.progress":
      return { progress: second };
    case "call.credit":
      return { n: second < 8 ? 2_147_483_647 : 1 + second };
    default:
      return {};
  }
}
