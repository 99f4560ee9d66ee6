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
import { withSignal } from "../../credentials/oauth/index.ts";
import { TOOL_ERROR } from "./tools.ts";

/** Questions of one call, above which it counts as endless. */
const MAX_ROUNDS = 10;

/** The part of a call's context that questions go through. */
type QuestionPort = Pick<OperationContext, "requestInput" | "resume">;

/** The answer as the server takes it; fields that were left open get the defaults of the question (SEP-1034). */
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

/** Refuses every question, for a source whose questions the operator does not relay. */
export function closedTo(what: string): QuestionPort {
  const refuse = async () => {
    throw new CallError(
      "INVALID_OPERATION_TYPE",
      `${what} asks for input while it runs, which this gateway does not pass on for its source (relayQuestions: false). Give what it needs as input, or tell the operator.`,
    );
  };
  return { resume: undefined, requestInput: refuse };
}

function endless(what: string): CallError {
  return new CallError(
    TOOL_ERROR.code,
    `${what} asked ${MAX_ROUNDS} times without coming to an end. Tell the operator of this gateway.`,
  );
}

/** Questions of an upstream, and the state that it wants back. */
interface Round {
  readonly number: number;
  readonly requests: Readonly<Record<string, unknown>>;
  readonly requestState: string | undefined;
}

/** The part of the next request that carries the answers. */
export interface Resumption {
  readonly inputResponses?: Readonly<Record<string, UnknownRecord>>;
  readonly requestState?: string;
}

/** Passes the questions of an upstream on to the caller, in as many rounds as it takes. */
export class Questions {
  readonly #context: QuestionPort;
  readonly #what: string;
  #round = 0;

  constructor(context: QuestionPort, what: string) {
    this.#context = context;
    this.#what = what;
  }

  /**
   * Sends until the answer is a result and not a question. A call that runs again because its question has been
   * answered continues where it stopped.
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
    // All forms are checked before the first question: no caller should answer in vain.
    const forms = Object.entries(round.requests).map(([key, request]) => ({ key, ...this.#formOf(request) }));
    const asked = forms.map(async ({ key, message, schema }) => {
      // A later round may use the same key for another question.
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

/** A question of a server. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: UnknownRecord;
}

/** Asks the caller of one running call; rejects with an error for the server if that is not possible. */
export type Asker = (form: Form) => Promise<UnknownRecord>;

/**
 * The questions that a server before 2026-07-28 asks while it runs one call. Often the caller can be asked only by ending
 * the call and running it again (decision 010): then the server asks again and is answered at once.
 */
export class LiveQuestions {
  readonly #caller: QuestionPort;
  readonly #signal: AbortSignal;
  readonly #what: string;
  /** Number of times that each question was asked since the call was sent. */
  readonly #asked = new Map<string, number>();
  #count = 0;
  #refusal: CallError | undefined;

  constructor(caller: QuestionPort, signal: AbortSignal, what: string) {
    this.#caller = caller;
    this.#signal = signal;
    this.#what = what;
  }

  /** The reason why the caller could not be asked. */
  get refusal(): CallError | undefined {
    return this.#refusal;
  }

  /** The call is sent, perhaps again; its questions are counted from zero. */
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
      return toResponse(await withSignal(this.#caller.requestInput(request), this.#signal), schema);
    } catch (error) {
      throw this.#refuse(error);
    }
  };

  /** By content, because two runs may ask in different orders; the same question may come more than once. */
  #keyOf(message: string, schema: UnknownRecord): string {
    const asked = JSON.stringify([message, schema]);
    const hash = createHash("sha256").update(asked).digest("base64url").slice(0, 16);
    const times = (this.#asked.get(hash) ?? 0) + 1;
    this.#asked.set(hash, times);
    return `${hash}.${times}`;
  }

  #refuse(error: unknown): ProtocolError {
    const isEnded = this.#signal.aborted;
    if (!isEnded && error instanceof CallError) this.#refusal = error;
    const reason = isEnded
      ? "the call has ended; should it be made again, ask again"
      : "there is no caller to ask";
    return new ProtocolError(ProtocolErrorCode.InternalError, this.#refusal?.message ?? reason);
  }
}

/** Rounds that the call has behind it. */
function roundsIn(resume: unknown): number {
  return isRecord(resume) && typeof resume.live === "number" ? resume.live : 0;
}
