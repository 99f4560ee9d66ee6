import {
  CallError,
  Capabilities,
  type Handler,
  type OperationContext,
  type OperationSpec,
  type StreamHandler,
} from "../../core/index.ts";
import { cannotHaveRun, forwardingHandler } from "./forward.ts";
import type { Member, PeerDirectory } from "./peer-directory.ts";

/** The members that calls of one operation of a group may go to. */
export interface Route {
  readonly group: string;
  readonly remoteName: string;
  /** In order of preference. */
  readonly members: readonly string[];
  readonly directory: PeerDirectory;
}

/** Hands the calls of an operation on to the first member of a group that takes them. */
export function groupHandler(spec: OperationSpec, route: Route): Handler {
  return spec.type === "subscription"
    ? { kind: "stream", run: (input, context) => streamOf(input, context, { spec, route }) }
    : { kind: "once", run: (input, context) => callOf(input, context, { spec, route }) };
}

interface Routed {
  readonly spec: OperationSpec;
  readonly route: Route;
}

/** Runs a call at one member, in a context with the caller's credentials there. */
type Attempt<Result> = (handler: Handler, context: OperationContext) => Result | Promise<Result>;

function callOf(input: unknown, context: OperationContext, routed: Routed): Promise<unknown> {
  return firstThatTakes(context, routed, (handler, own) => handler.run(input, own));
}

function streamOf(input: unknown, context: OperationContext, routed: Routed): AsyncIterableIterator<unknown> {
  let items: AsyncIterator<unknown> | undefined;
  let hasBegun = false;
  const begin: Attempt<IteratorResult<unknown>> = (handler, own) => {
    items = (handler as StreamHandler).run(input, own)[Symbol.asyncIterator]();
    return items.next();
  };
  const iterator: AsyncIterableIterator<unknown> = {
    async next() {
      // Another member would begin again from the start.
      if (hasBegun && items) return items.next();
      const first = await firstThatTakes(context, routed, begin);
      hasBegun = true;
      return first;
    },
    return: async () => (await items?.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/** Members that are not connected, or where the caller has no credential, are passed over: nothing has been sent. */
async function firstThatTakes<Result>(
  context: OperationContext,
  { spec, route }: Routed,
  attempt: Attempt<Result>,
): Promise<Result> {
  let failure: unknown = noMember(route.group);
  for (const name of route.members) {
    const member = route.directory.find(name);
    if (!member?.isConnected()) continue;
    let isSent = false;
    try {
      const own = await contextAt(member, context);
      isSent = true;
      return await attempt(handlerAt(member, spec, route), own);
    } catch (error) {
      if (isSent && !mayMoveOn(error, spec)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** A mutation goes on to the next member only where it cannot have run. */
function mayMoveOn(error: unknown, { mutates }: OperationSpec): boolean {
  if (!(error instanceof CallError)) return false;
  return cannotHaveRun(error) || (!mutates && error.code === "UNAVAILABLE");
}

/** Errors speak of the group, because callers need not know its members. */
function handlerAt({ link }: Member, spec: OperationSpec, { group, remoteName }: Route): Handler {
  return forwardingHandler(spec, remoteName, { ...link, where: `The group ${group}` });
}

async function contextAt({ capabilities }: Member, context: OperationContext): Promise<OperationContext> {
  const own = await capabilities?.(context.principal, context.signal);
  // The deadline of a context is an accessor of its class, which is not copied.
  return { ...context, deadline: context.deadline, capabilities: own ?? Capabilities.none };
}

function noMember(group: string): CallError {
  return new CallError(
    "UNAVAILABLE",
    `No member of the group ${group} that has this operation is connected at the moment. Try again later.`,
  );
}
