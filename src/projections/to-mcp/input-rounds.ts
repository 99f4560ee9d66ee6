import { createHash } from "node:crypto";
import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Call, CallError, type InputAnswer, type InputRequest, isRecord } from "../../core/index.ts";

import type { SdkCaller } from "./caller.ts";

/** State that travels through the client between two rounds of one call: signed, so that the client cannot change it. */
interface RoundState {
  readonly call: string;
  readonly answers: Readonly<Record<string, InputAnswer>>;
  /** State of the handler for when it runs again. */
  readonly resume?: unknown;
}

/** Asks the client the questions of a handler, over as many rounds as it takes, without keeping state. */
export interface InputRounds {
  /** The option by which the SDK's server checks the state. */
  readonly verify: (state: string, context: ServerContext) => Promise<unknown>;
  /** One round of one call; undefined where the client cannot be asked. */
  begin(call: Call, context: ServerContext): InputRound | undefined;
}

/** One round: either the handler gets its answers, or the call ends and the client is asked. */
interface InputRound {
  /** Aborts when the handler has asked: the call ends and the client is asked instead. */
  readonly signal: AbortSignal;
  readonly requestInput: (request: InputRequest) => Promise<InputAnswer>;
  /** The state that the handler gave along with the question that is answered now. */
  readonly resume: unknown;
  /** The answer instead of a result, if the handler asked for something new. */
  question(): Promise<InputRequiredResult | undefined>;
}

/** Builds the rounds on a key that every replica shares. */
export function createInputRounds(key: Uint8Array): InputRounds {
  const codec = createRequestStateCodec<RoundState>({
    key,
    bind: (context) => `${context.mcpReq.method}\0${context.http?.authInfo?.clientId ?? ""}`,
  });

  return {
    verify: codec.verify,

    begin(call, context) {
      if (!canElicit(context)) return undefined;
      const fingerprint = fingerprintOf(call);
      const asked: InputRequest[] = [];
      const stop = new AbortController();
      const state = stateOf(context, fingerprint);
      // Without a prototype: a handler chooses the keys, and "constructor" must not look answered.
      const answers: Record<string, InputAnswer> = Object.assign(Object.create(null), state?.answers);

      const requestInput = (request: InputRequest): Promise<InputAnswer> => {
        const known = answers[request.key] ?? answerIn(context, request.key);
        if (known) {
          answers[request.key] = known;
          return Promise.resolve(known);
        }
        asked.push(request);
        // After the handler had the chance to ask for everything that it asks for at once.
        queueMicrotask(() => stop.abort());
        return new Promise(() => {});
      };

      return {
        signal: stop.signal,
        requestInput,
        resume: state?.resume,
        async question() {
          if (asked.length === 0) return undefined;
          const requests = asked.map(({ key: name, message, schema }) => [
            name,
            inputRequired.elicit({ message, requestedSchema: schema as never }),
          ]);
          return inputRequired({
            inputRequests: Object.fromEntries(requests),
            requestState: await codec.mint({ call: fingerprint, answers, resume: asked[0]?.state }, context),
          });
        },
      };
    },
  };
}

function fingerprintOf({ operation, input = {}, select }: Call): string {
  return createHash("sha256")
    .update(JSON.stringify([operation, input, select]))
    .digest("base64url");
}

function stateOf(context: ServerContext, fingerprint: string): RoundState | undefined {
  const state = context.mcpReq.requestState<RoundState>();
  if (!state || state.call === fingerprint) return state;
  throw new CallError(
    "INVALID_INPUT",
    "These answers belong to another call. Send them with the operation and input that asked for them, or call again without them.",
  );
}

function answerIn(context: ServerContext, key: string): InputAnswer | undefined {
  const response = inputResponse(context.mcpReq.inputResponses, key);
  if (response.kind !== "elicit") return undefined;
  return { action: response.action, ...(response.content !== undefined && { content: response.content }) };
}

/** True if the client says that it can answer: in each request of 2026-07-28, before that when its session began. */
function canElicit(context: ServerContext): boolean {
  const { session } = (context.http?.authInfo?.extra ?? {}) as Partial<SdkCaller>;
  if (session) return session.capabilities.elicitation !== undefined;
  const envelope: unknown = context.mcpReq.envelope;
  if (!isRecord(envelope)) return false;
  const capabilities = envelope["io.modelcontextprotocol/clientCapabilities"];
  return isRecord(capabilities) && isRecord(capabilities.elicitation);
}
