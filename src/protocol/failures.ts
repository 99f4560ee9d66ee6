import { CallError } from "../core/index.ts";
import type { CloseReason } from "./ports.ts";

/** The error of a call that was aborted. */
export function aborted(): CallError {
  return new CallError("ABORTED", "The call was aborted because its caller went away.");
}

/** The other side gave the call up. */
export function givenUp(): CallError {
  return new CallError("ABORTED", "The peer gave the call up. It may have had effects: check first.");
}

/** The time of the call is over. */
export function timedOut(): CallError {
  return new CallError(
    "TIMEOUT",
    "The call did not finish before its deadline. It may have had effects: check before you repeat a mutation, or allow more time.",
  );
}

/** The error of a call that the caller's signal ended. */
export function reasonOf(signal: AbortSignal): CallError {
  const { reason } = signal;
  const late = reason instanceof CallError ? reason.code === "TIMEOUT" : reason?.name === "TimeoutError";
  return late ? timedOut() : aborted();
}

/** The connection is over, so no answer can come. */
export function disconnected({ message }: CloseReason): CallError {
  return new CallError(
    "UNAVAILABLE",
    `The connection to the peer is closed: ${message} Calls under way may have had effects; check before you repeat a mutation.`,
  );
}

/** The other side has as many calls running as one connection may have. */
export function tooManyCalls(limit: number): CallError {
  return new CallError(
    "RATE_LIMITED",
    `${limit} calls of this connection are running, which is the most. Wait until one of them ends.`,
  );
}

/** The requests of the other side that run are as large as one connection may have. */
export function tooManyBytes(limit: number): CallError {
  return new CallError(
    "RATE_LIMITED",
    `The calls of this connection that are running have ${limit} bytes, which is the most. Wait until one of them ends.`,
  );
}

/** Answers are asked for faster than they are taken. */
export function answersPiledUp(limit: number): CallError {
  return new CallError(
    "SLOW_CONSUMER",
    `${limit} bytes of answers wait to be taken off the wire, which is the most. Take them faster, or ask for less at a time. The call may have had effects: check before you repeat a mutation.`,
  );
}

/** The error of a stream whose consumer is too slow. */
export function slowConsumer(milliseconds: number): CallError {
  return new CallError(
    "SLOW_CONSUMER",
    `The consumer took nothing for ${milliseconds} ms, so the stream was ended. Subscribe again and take items faster, or grant credit earlier.`,
  );
}

/** Nothing is served here. */
export function nothingServed(): CallError {
  return new CallError("NOT_FOUND", "This side of the connection offers no operations.");
}

/** The error for a thrown value that is not a CallError. */
export function faulty(): CallError {
  return new CallError("INTERNAL", "The call failed here. This is not about your input; tell the operator.");
}

/** The call cannot be sent. */
export function unsendable(why: string): CallError {
  return new CallError("INVALID_INPUT", `The call cannot be sent: ${why}.`);
}

/** The output cannot be sent. */
export function unsendableOutput(why: string): CallError {
  return new CallError(
    "RESULT_TOO_LARGE",
    `The output cannot be sent: ${why}. Ask for less, or for a part of it.`,
  );
}

/** The other side ended a call that wants one answer without giving it. */
export function noAnswer(): CallError {
  return new CallError("OUTPUT_INVALID", "The peer ended the call without an answer.");
}

/** A request takes too long to read. */
export function unreadRequest(why: string): CallError {
  return new CallError("INVALID_INPUT", `The call was not read. ${why}`);
}

/** An answer takes too long to read. */
export function unreadAnswer(why: string): CallError {
  return new CallError(
    "OUTPUT_INVALID",
    `The answer of the peer was not read. ${why} The call has run: ask for less with select, or tell the owner of the operation.`,
  );
}
