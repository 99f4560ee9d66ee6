import {
  CallError,
  type Handler,
  type OperationContext,
  type OperationSpec,
  timeLeft,
} from "../../core/index.ts";
import { TOKEN } from "../../credentials/index.ts";
import { addHop, type CallOptions, type Connection } from "../../protocol/index.ts";

const MAX_FORWARDED_FOR = 4_096;
/** Codes by which a node says that it has no such operation for this one. */
const REFUSALS: readonly string[] = ["NOT_FOUND", "FORBIDDEN"];

/** The way to another node, while there is one. */
export interface Link {
  /** The node in a sentence. */
  readonly where: string;
  /** Marks a call of an operation as handed on; the id of this node, where it is another node that runs it. */
  readonly hopOf: (remoteName: string) => string;
  /** The longest duration of a call. */
  readonly timeoutMs: number;
  /** Throws a CallError with the reason if there is none at the moment. */
  readonly connection: () => Connection;
  /** The token of the connection; calls with the same token need not carry it. */
  readonly token?: string | undefined;
  /** Called when the other node does not know or allow an operation that it has listed. */
  readonly onStale?: () => void;
}

interface Remote {
  requestId?: string;
}

/** The handler of an operation of another node. */
export function forwardingHandler(spec: OperationSpec, remoteName: string, link: Link): Handler {
  const failed =
    (context: OperationContext, remote: Remote) =>
    (error: unknown): never => {
      throw error instanceof CallError ? toLocal(underOwnId(error, context, remote), spec.name, link) : error;
    };
  const hop = link.hopOf(remoteName);
  const optionsOf = (context: OperationContext, remote: Remote): CallOptions => {
    if (context.hops.includes(hop)) throw circle(spec);
    return { ...alongWith(context, link, remote), hops: addHop(context.hops, hop) };
  };
  if (spec.type !== "subscription") {
    return {
      kind: "once",
      run(input, context) {
        const remote: Remote = {};
        const options = { ...optionsOf(context, remote), deadlineMs: deadlineOf(context, link) };
        return link.connection().call(remoteName, input, options).catch(failed(context, remote));
      },
    };
  }
  return {
    kind: "stream",
    run(input, context) {
      const remote: Remote = {};
      const options = { ...optionsOf(context, remote), deadlineMs: timeLeft(context) };
      const items = link.connection().subscribe(remoteName, input, options);
      // Not a generator: its `return` would wait for the next item.
      const iterator: AsyncIterableIterator<unknown> = {
        next: () => items.next().catch(failed(context, remote)),
        return: async () => (await items.return?.()) ?? { done: true, value: undefined },
        [Symbol.asyncIterator]: () => iterator,
      };
      return iterator;
    },
  };
}

/** Everything that travels with a call. The principal is information for the other node, never authority. */
function alongWith(context: OperationContext, { token }: Link, remote: Remote): CallOptions {
  const { principal, forwardedFor, capabilities, trace, signal, select } = context;
  const own = capabilities.get(TOKEN);
  const chain = forwardedFor === undefined ? principal.id : `${forwardedFor}, ${principal.id}`;
  return {
    signal,
    onNamed(requestId) {
      remote.requestId = requestId;
      context.handedOn(requestId);
    },
    onProgress: (update) => context.progress(update),
    forwardedFor: chain.slice(-MAX_FORWARDED_FOR),
    ...(own !== undefined && own !== token && { authToken: own }),
    ...(select !== undefined && { select }),
    ...trace,
  };
}

function deadlineOf(context: OperationContext, { timeoutMs }: Link): number {
  return Math.min(timeoutMs, timeLeft(context) ?? timeoutMs);
}

/** Callers know the id of this node's call; the log of this node leads to the other one's id. */
function underOwnId(error: CallError, { requestId }: OperationContext, remote: Remote): CallError {
  if (remote.requestId === undefined || !error.message.includes(remote.requestId)) return error;
  const { code, message, retryable, details } = error;
  return new CallError(code, message.replaceAll(remote.requestId, requestId), { retryable, details });
}

function circle({ name }: OperationSpec): CallError {
  return new CallError(
    "UNAVAILABLE",
    `${name} runs for this call already: what it calls has called it again. Have it call something else.`,
    { retryable: false },
  );
}

/** True if the other node refused a call before anything of it ran. */
export function cannotHaveRun({ cause }: CallError): boolean {
  return cause instanceof CallError && REFUSALS.includes(cause.code);
}

/** Some codes are about this node; unchanged, they would be about the caller. */
function toLocal(error: CallError, name: string, { where, onStale }: Link): CallError {
  switch (error.code) {
    case "NOT_FOUND":
      onStale?.();
      return new CallError(
        "UNAVAILABLE",
        `${where} no longer has ${name}, or has another operation of that name. Look again in a moment.`,
        { cause: error },
      );
    case "FORBIDDEN":
      onStale?.();
      return new CallError(
        "UNAUTHORIZED_UPSTREAM",
        `${where} does not allow this node to call ${name}. Its operator decides what the token of this node may do.`,
        { cause: error },
      );
    case "INVALID_OPERATION_TYPE":
      // Mostly about the call, such as a question that cannot be answered there; sometimes the type has changed.
      onStale?.();
      return error;
    default:
      return error;
  }
}
