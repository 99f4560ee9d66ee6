import type { InputRequiredResult } from "@modelcontextprotocol/client";
import {
  CallError,
  type InputAnswer,
  isRecord,
  type OperationContext,
  type UnknownRecord,
} from "../../core/index.ts";

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
  readonly #context: OperationContext;
  readonly #what: string;
  #round = 0;

  constructor(context: OperationContext, what: string) {
    this.#context = context;
    this.#what = what;
  }

  /** Where the call stands: at its beginning, or after a round of questions in an earlier run. */
  async resume(): Promise<Resumption> {
    const { resume } = this.#context;
    return isRound(resume) ? this.#ask(resume) : {};
  }

  /** Asks the caller, and answers with what the upstream waits for. */
  ask({ inputRequests, requestState }: InputRequiredResult): Promise<Resumption> {
    const requests = inputRequests ?? {};
    return this.#ask({ number: this.#round + 1, requests, requestState });
  }

  async #ask(round: Round): Promise<Resumption> {
    this.#round = round.number;
    const asked = Object.entries(round.requests).map(async ([key, request]) => {
      const { message, requestedSchema } = this.#formOf(request);
      const answer = await this.#context.requestInput({
        // The same key may come again in a later round, with another question.
        key: `${round.number}.${key}`,
        message,
        schema: requestedSchema,
        state: round,
      });
      return [key, responseOf(answer)] as const;
    });
    const inputResponses = Object.fromEntries(await Promise.all(asked));
    return { inputResponses, ...(round.requestState !== undefined && { requestState: round.requestState }) };
  }

  #formOf(request: unknown): { readonly message: string; readonly requestedSchema: UnknownRecord } {
    const { method, params } = isRecord(request) ? request : {};
    if (method === "elicitation/create" && isRecord(params) && isRecord(params.requestedSchema)) {
      return { message: String(params.message ?? ""), requestedSchema: params.requestedSchema };
    }
    throw new CallError(
      "INVALID_OPERATION_TYPE",
      `${this.#what} asks for ${typeof method === "string" ? method : "something"} while it runs, which a gateway cannot pass on. Give what it needs as input, or use the server directly.`,
    );
  }
}

function responseOf({ action, content }: InputAnswer): UnknownRecord {
  return content === undefined ? { action } : { action, content };
}

function isRound(value: unknown): value is Round {
  return isRecord(value) && typeof value.number === "number" && isRecord(value.requests);
}
