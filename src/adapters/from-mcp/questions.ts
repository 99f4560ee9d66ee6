import { type InputRequiredResult, isInputRequiredResult } from "@modelcontextprotocol/client";
import { CallError, isRecord, type UnknownRecord } from "../../core/index.ts";
import { type Caller, endless, MAX_ROUNDS, toResponse } from "./answers.ts";

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
