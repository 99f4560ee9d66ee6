import { createHash } from "node:crypto";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { CallError, type InputAnswer, isRecord, type UnknownRecord } from "../../core/index.ts";
import { type Caller, endless, MAX_ROUNDS, toResponse } from "./answers.ts";

/** What a server wants to know. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: UnknownRecord;
}

/** Asks whoever made one running call; rejects with what the server is told where that cannot be done. */
export type Asker = (form: Form) => Promise<UnknownRecord>;

/**
 * The questions that a server of before 2026-07-28 asks while it runs one call, and waits for. The caller may only be
 * reached by ending the call and running it again (decision 010): then the server asks again, and is answered at once.
 */
export class LiveQuestions {
  readonly #caller: Caller;
  readonly #signal: AbortSignal;
  readonly #what: string;
  /** How often each question was asked since the call was sent. */
  readonly #asked = new Map<string, number>();
  #count = 0;
  #refusal: CallError | undefined;

  constructor(caller: Caller, signal: AbortSignal, what: string) {
    this.#caller = caller;
    this.#signal = signal;
    this.#what = what;
  }

  /** Why the caller could not be asked, if it came to that. */
  get refusal(): CallError | undefined {
    return this.#refusal;
  }

  /** The call is sent, or sent again: what was asked before is asked anew. */
  begin(): void {
    this.#asked.clear();
    this.#count = 0;
    this.#refusal = undefined;
  }

  readonly ask: Asker = async ({ message, requestedSchema: schema }) => {
    const key = this.#keyOf(message, schema);
    try {
      const before = roundsIn(this.#caller.resume);
      if (before > MAX_ROUNDS || ++this.#count > MAX_ROUNDS) throw endless(this.#what);
      const request = { key, message, schema, state: { live: before + 1 } };
      return toResponse(await this.#unlessEnded(this.#caller.requestInput(request)), schema);
    } catch (error) {
      throw this.#refuse(error);
    }
  };

  /** By what is asked, since two runs need not ask in the same order; the same may be asked more than once. */
  #keyOf(message: string, schema: UnknownRecord): string {
    const asked = JSON.stringify([message, schema]);
    const hash = createHash("sha256").update(asked).digest("base64url").slice(0, 16);
    const times = (this.#asked.get(hash) ?? 0) + 1;
    this.#asked.set(hash, times);
    return `${hash}.${times}`;
  }

  /** The call is ended so that its caller can be asked: nobody waits any longer then. */
  async #unlessEnded(answer: Promise<InputAnswer>): Promise<InputAnswer> {
    const signal = this.#signal;
    let onEnd = () => {};
    const ended = new Promise<never>((_, reject) => {
      onEnd = () => reject(signal.reason);
      if (signal.aborted) onEnd();
      else signal.addEventListener("abort", onEnd, { once: true });
    });
    try {
      return await Promise.race([answer, ended]);
    } finally {
      signal.removeEventListener("abort", onEnd);
    }
  }

  #refuse(error: unknown): ProtocolError {
    const isEnded = this.#signal.aborted;
    if (!isEnded && error instanceof CallError) this.#refusal = error;
    const reason = isEnded ? "the call has ended; should it be made again, ask again" : "nobody can be asked";
    return new ProtocolError(ProtocolErrorCode.InternalError, this.#refusal?.message ?? reason);
  }
}

/** How many rounds the call has behind it. */
function roundsIn(resume: unknown): number {
  return isRecord(resume) && typeof resume.live === "number" ? resume.live : 0;
}
