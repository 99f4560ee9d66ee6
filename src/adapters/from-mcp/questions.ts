import { createHash } from "node:crypto";
import {
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/client";
import {
  CallError,
  type InputAnswer,
  isRecord,
  type OperationContext,
  type UnknownRecord,
} from "../../core/index.ts";
import { TOOL_ERROR } from "./tools.ts";

/** How often one call may ask before it is taken for endless. */
export const MAX_ROUNDS = 10;

/** What the questions of one call are asked through. */
export type Caller = Pick<OperationContext, "requestInput" | "resume">;

/** What goes to the server for an answer: what was left open has the default that its question names (SEP-1034). */
export function toResponse({ action, content }: InputAnswer, schema: UnknownRecord): UnknownRecord {
  return action === "accept" ? { action, content: withDefaults(content ?? {}, schema) } : { action };
}

function withDefaults(content: unknown, { properties }: UnknownRecord): unknown {
  if (!isRecord(content) || !isRecord(properties)) return content;
  const missing = Object.entries(properties).flatMap(([name, property]) =>
    isRecord(property) && property.default !== undefined && !Object.hasOwn(content, name)
      ? [[name, property.default] as const]
      : [],
  );
  return { ...content, ...Object.fromEntries(missing) };
}

/** Answers no question: the operator does not want those of this source to be passed on. */
export function closedTo(what: string): Caller {
  const refuse = async () => {
    throw new CallError(
      "INVALID_OPERATION_TYPE",
      `${what} asks for input while it runs, which this gateway does not pass on for its source (relayQuestions: false). Give what it needs as input, or tell the operator.`,
    );
  };
  return { resume: undefined, requestInput: refuse };
}

/** For one that never has enough. */
export function endless(what: string): CallError {
  return new CallError(
    TOOL_ERROR.code,
    `${what} asked ${MAX_ROUNDS} times without coming to an end. Tell the operator of this gateway.`,
  );
}

/** What an upstream wants to know before it goes on, and what it wants to have back. */
interface Round {
  readonly number: number;
  readonly requests: Readonly<Record<string, unknown>>;
  readonly requestState: string | undefined;
}

/** What goes to the upstream with the next call. */
export interface Resumption {
  readonly inputResponses?: Readonly<Record<string, UnknownRecord>>;
  readonly requestState?: string;
}

/** Passes the questions of an upstream on to the caller, over as many rounds as it takes. */
export class Questions {
  readonly #context: Caller;
  readonly #what: string;
  #round = 0;

  constructor(context: Caller, what: string) {
    this.#context = context;
    this.#what = what;
  }

  /**
   * Sends until the answer is a result and not a question. A call that runs again because its question has been
   * answered goes on where it stood.
   */
  async untilAnswered<Result>(
    send: (resumption: Resumption) => Promise<Result | InputRequiredResult>,
  ): Promise<Result> {
    const { resume } = this.#context;
    let resumption: Resumption = isRound(resume) ? await this.#ask(resume) : {};
    for (;;) {
      const answer = await send(resumption);
      if (!isInputRequiredResult(answer)) return answer as Result;
      const { inputRequests: requests = {}, requestState } = answer;
      resumption = await this.#ask({ number: this.#round + 1, requests, requestState });
    }
  }

  async #ask(round: Round): Promise<Resumption> {
    this.#round = round.number;
    if (round.number > MAX_ROUNDS) throw endless(this.#what);
    // All forms are looked at before anything is asked: the caller must not answer in vain.
    const forms = Object.entries(round.requests).map(([key, request]) => ({ key, ...this.#formOf(request) }));
    const asked = forms.map(async ({ key, message, schema }) => {
      // The same key may come again in a later round, with another question.
      const request = { key: `${round.number}.${key}`, message, schema, state: round };
      return [key, toResponse(await this.#context.requestInput(request), schema)] as const;
    });
    const inputResponses = Object.fromEntries(await Promise.all(asked));
    return { inputResponses, ...(round.requestState !== undefined && { requestState: round.requestState }) };
  }

  #formOf(request: unknown): { readonly message: string; readonly schema: UnknownRecord } {
    const { method, params } = isRecord(request) ? request : {};
    if (method === "elicitation/create" && isRecord(params) && isRecord(params.requestedSchema)) {
      return { message: String(params.message ?? ""), schema: params.requestedSchema };
    }
    throw new CallError(
      "INVALID_OPERATION_TYPE",
      `${this.#what} asks for ${typeof method === "string" ? method : "something"} while it runs, which a gateway cannot pass on. Give what it needs as input, or use the server directly.`,
    );
  }
}

function isRound(value: unknown): value is Round {
  return isRecord(value) && typeof value.number === "number" && isRecord(value.requests);
}

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
