import { ResourceAnswers } from "../access/index.ts";
import {
  ANONYMOUS,
  type ComposeOptions,
  type Identity,
  type InputAnswer,
  type InputRequest,
  identityOfComposer,
  type MutationPolicy,
  openSpan,
  type Progress,
  type Reach,
  type Registration,
  type Span,
  strictest,
  type Trace,
  traceOf,
  type UnknownRecord,
} from "../model/index.ts";
import type { Snapshot } from "../registry/index.ts";
import { Composition } from "./composition.ts";
import { Lifetime } from "./lifetime.ts";
import { RunningHandlers } from "./limits.ts";

/** A call: the operation, its input, and what to select from its output. */
export interface Call {
  readonly operation: string;
  readonly input?: unknown;
  /** A JMESPath expression on the output. */
  readonly select?: string | undefined;
}

/** Properties of a call from outside, set by a wire or an embedding program. */
export interface RootCall {
  /** The caller, and principal of everything below; anonymous by default. */
  readonly identity?: Identity;
  readonly requestId?: string;
  /** Request that the call is part of, such as a batch. */
  readonly parentRequestId?: string;
  readonly connection?: string | undefined;
  /** The key of operations that only this caller has; what it composes sees them too. */
  readonly overlay?: string | undefined;
  readonly forwardedFor?: string | undefined;
  readonly metadata?: UnknownRecord | undefined;
  readonly trace?: Trace | undefined;
  /** The nodes that the call has passed. */
  readonly hops?: readonly string[] | undefined;
  /** Aborts when the caller goes away. */
  readonly signal?: AbortSignal | undefined;
  /** The caller's own deadline: it only shortens the allowed time. */
  readonly deadlineMs?: number | undefined;
  readonly progress?: ((update: Progress) => void) | undefined;
  /** The `state` of the question that this call answers. */
  readonly resume?: unknown;
  readonly requestInput?: ((request: InputRequest) => Promise<InputAnswer>) | undefined;
  /** Told when the call has been admitted, before its handler runs; a refused call ends without it. */
  readonly onAdmitted?: (() => void) | undefined;
  /** Told what the caller should know beside the output, such as that it used an old name. */
  readonly onNote?: ((note: string) => void) | undefined;
  /** Takes the share of the limits that the wire got before, once; undefined if there is none. Throws what refused it. */
  readonly share?: (() => (() => void) | undefined) | undefined;
  /** The operations that exist through the endpoint of the call. */
  readonly reach?: Reach | undefined;
  /** Answers of ownership ports to other calls of the same batch. */
  readonly answers?: () => ResourceAnswers;
}

/** One call under way: everything that is known before its operation is found. */
export interface Frame extends Omit<RootCall, "signal" | "deadlineMs"> {
  readonly snapshot: Snapshot;
  readonly requestId: string;
  readonly principal: Identity;
  readonly identity: Identity;
  readonly internal: boolean;
  /** Number of calls above it. */
  readonly depth: number;
  /** Shared by all calls below one call from outside. */
  readonly composition: () => Composition;
  readonly lifetime: Lifetime;
  /** The longest that any call may take which is not a stream. */
  readonly longestMs: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly effects: Effects;
  /** Shared by all calls below one call from outside. */
  readonly handlers: RunningHandlers;
  readonly answers: () => ResourceAnswers;
  /** The strictest mutation policy of the calls above it. */
  readonly mutations?: MutationPolicy;
  /** Its span, if traces are kept. */
  readonly span?: Span;
}

/** Settings of dispatch for all calls from outside. */
interface FrameDefaults {
  /** The longest that any call may take which is not a stream. */
  readonly longestMs: number;
  readonly isStream: boolean;
  /** True: each call gets a span of its own; otherwise a trace is passed on as it came. */
  readonly traced: boolean;
}

/** Notes whether something that must not run twice has begun in a call or below it. */
class Effects {
  readonly #parent: Effects | undefined;
  #begun = false;

  constructor(parent?: Effects) {
    this.#parent = parent;
  }

  get begun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
    this.#parent?.begin();
  }
}

/** Running it twice does no harm: it only reads, or it is idempotent by its spec or by a hint that is believed. */
export function isRepeatable({ spec, provenance, trustsHints }: Registration): boolean {
  const believed = provenance === "local" || trustsHints === true;
  return !spec.mutates || spec.idempotent === true || (believed && spec.annotations?.idempotentHint === true);
}

/** Makes a value when it is first needed: most calls compose nothing and name no resource. */
export function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The frame of a call from outside. */
export function openRoot(root: RootCall, snapshot: Snapshot, defaults: FrameDefaults): Frame {
  const { signal } = root;
  const identity = root.identity ?? ANONYMOUS;
  const { longestMs, isStream } = defaults;
  const deadlineMs = earlier(root.deadlineMs, isStream ? undefined : longestMs);
  const lifetime = new Lifetime({ signals: [signal], deadline: deadlineIn(deadlineMs) });
  return {
    ...root,
    snapshot,
    requestId: root.requestId ?? crypto.randomUUID(),
    principal: identity,
    identity,
    internal: false,
    depth: 0,
    composition: lazily(() => new Composition(() => lifetime.abort())),
    lifetime,
    longestMs,
    startedAt: Date.now(),
    effects: new Effects(),
    handlers: new RunningHandlers(),
    answers: root.answers ?? lazily(() => new ResourceAnswers()),
    ...(defaults.traced && placeIn(root.trace)),
  };
}

/** The frame of a composed call. Only the properties named here are inherited. */
export function openChild(parent: Frame, composer: Registration, compose: ComposeOptions): Frame {
  return {
    snapshot: parent.snapshot,
    requestId: crypto.randomUUID(),
    parentRequestId: parent.requestId,
    principal: parent.principal,
    identity: identityOfComposer(composer.spec.name, composer.authority),
    internal: true,
    depth: parent.depth + 1,
    composition: parent.composition,
    connection: parent.connection,
    overlay: parent.overlay,
    reach: parent.reach,
    mutations: strictest([parent.mutations, parent.reach?.mutations?.(composer.spec)]),
    trace: parent.trace,
    hops: parent.hops,
    ...(parent.span && placeIn(parent.trace)),
    lifetime: lifetimeOf(parent, compose),
    longestMs: parent.longestMs,
    startedAt: Date.now(),
    effects: new Effects(parent.effects),
    handlers: parent.handlers,
    answers: lazily(() => new ResourceAnswers()),
  };
}

/** A child that runs on has a deadline of its own, which is never further away than that of any call. */
function lifetimeOf(parent: Frame, { signal, deadlineMs, onAbort = "abort" }: ComposeOptions): Lifetime {
  if (onAbort !== "abort" && onAbort !== "continue")
    throw new TypeError(`onAbort must be "abort" or "continue", not ${JSON.stringify(onAbort)}.`);
  const { lifetime: above, longestMs } = parent;
  const runsOn = onAbort === "continue";
  return new Lifetime({
    above,
    signals: [runsOn ? undefined : above.signal, signal],
    deadline: runsOn
      ? deadlineIn(earlier(deadlineMs, longestMs))
      : earlier(deadlineIn(deadlineMs), above.deadline),
  });
}

function placeIn(came: Trace | undefined): { readonly span: Span; readonly trace: Trace } {
  const span = openSpan(came);
  return { span, trace: traceOf(span, came) };
}

function deadlineIn(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : performance.now() + milliseconds;
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
