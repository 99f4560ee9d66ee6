import assert from "node:assert/strict";
import { type CloseReason, type ConnectionLimits, createConnection } from "../../src/protocol/index.ts";
import { Actor, type Made, type Script } from "./call-actor.ts";
import { SimulatedTime, settle } from "./call-time.ts";
import { type SeenEnvelope, WireEnd } from "./call-wire.ts";

/** Small, so that random schedules reach every limit. */
export const SMALL_LIMITS: Partial<ConnectionLimits> = {
  maxIncomingCalls: 5,
  deadlineMs: 1_000,
  slowConsumerMs: 400,
  stalledMs: 900,
  maxWaitingBytes: 2_000,
};

const MODES = ["value", "declared", "thrown", "nothing"] as const;

/** Shorter than the window, just over it, and several grants long. */
const STREAMS = [0, 1, 2, 3, 5, 33, 50];

/** What happened while a schedule ran, beside the calls themselves. */
export interface Happened {
  timePassed: boolean;
  closed: boolean;
  /** Why connections ended. */
  readonly reasons: Set<CloseReason["code"]>;
}

/** Two connections on one wire, and everyone who watches them. */
export class World {
  readonly time = new SimulatedTime();
  readonly happened: Happened = { timePassed: false, closed: false, reasons: new Set() };
  readonly referees = [new Referee(), new Referee()] as const;
  readonly actors = [new Actor(), new Actor()] as const;
  readonly ends: readonly [WireEnd, WireEnd];
  #calls = 0;

  constructor(capacity: number) {
    const endOf = (side: 0 | 1) =>
      new WireEnd({
        capacity,
        onSent: (seen) => this.referees[side].sent(seen),
        onReceived: (seen) => this.referees[side].received(seen),
      });
    this.ends = [endOf(0), endOf(1)];
    this.ends[0].join(this.ends[1]);
    for (const side of [0, 1] as const) {
      const { service } = this.actors[side];
      const connection = createConnection({
        transport: this.ends[side],
        service,
        timers: this.time,
        limits: SMALL_LIMITS,
      });
      this.actors[side].connection = connection;
      void connection.closed.then(({ code }) => this.happened.reasons.add(code));
    }
  }

  /** One step of a schedule: three bytes say what happens. */
  step(what: number, first: number, second: number): void {
    const side = (first & 1) as 0 | 1;
    const actor = this.actors[side];
    const index = first >> 1;
    const deadline = second % 5 === 0 ? 50 * (second % 7) : undefined;
    const action = what % 16;
    if (action < 2) actor.call(this.#script(second, index), deadline);
    else if (action < 4) actor.subscribe(this.#script(second, index), deadline);
    else if (action < 6) this.ends[side].deliver(1 + (second % 90));
    else if (action < 8) this.ends[side].deliver(1_000_000);
    else if (action < 10) actor.letGo(index);
    else if (action < 13) actor.take(index);
    else if (action === 13) actor.abort(index, second % 2 === 0);
    else if (action === 14) this.#pass(second * 2);
    else if (second >= 240) this.#break(second, side);
  }

  /** Everything arrives, every handler goes on, every consumer takes what there is. */
  async finish(): Promise<void> {
    for (const actor of this.actors) actor.isGreedy = true;
    for (let round = 0; round < 1_000 && (round < 3 || !this.isQuiet); round++) {
      for (const side of [0, 1] as const) {
        this.ends[side].deliver(1_000_000);
        this.actors[side].letAllGo();
        this.actors[side].takeAll();
      }
      await settle();
    }
  }

  get isQuiet(): boolean {
    const [left, right] = this.actors;
    const onTheWay = this.ends[0].onTheWay + this.ends[1].onTheWay;
    return left.unsettled + right.unsettled + onTheWay === 0 && left.isIdle && right.isIdle;
  }

  #pass(milliseconds: number): void {
    this.happened.timePassed = true;
    this.time.pass(milliseconds);
  }

  #break(second: number, side: 0 | 1): void {
    this.happened.closed = true;
    if (second % 2 === 0) this.ends[side].cut();
    else this.actors[side].connection?.close();
  }

  #script(second: number, index: number): Script {
    return {
      number: this.#calls++,
      mode: MODES[second % 4] ?? "value",
      items: STREAMS[second % STREAMS.length] ?? 0,
      gated: index % 3 === 0,
    };
  }
}

/** The ways in which one call may have ended, given what happened to it. */
export function checkOutcome(made: Made, happened: Happened): void {
  const { script, outcome, received, stream } = made;
  assert.ok(outcome, `call ${script.number} was lost without an error`);
  assert.deepEqual(
    received,
    received.map((_, index) => index),
    "items are in order, without gaps or repeats",
  );
  if (outcome === "dropped") return;
  if (outcome === "completed") {
    assert.ok(stream && (script.mode === "value" || script.mode === "nothing"));
    assert.equal(received.length, script.items, "a completed stream is whole");
    return;
  }
  if ("value" in outcome) {
    assert.deepEqual(outcome.value, script.mode === "nothing" ? null : { number: script.number });
    return;
  }
  const { code, details } = outcome.error;
  const reasons: Readonly<Record<string, boolean>> = {
    DRY: script.mode === "declared" && (!stream || received.length === script.items),
    INTERNAL: script.mode === "thrown" && (!stream || received.length === script.items),
    ABORTED: made.aborted,
    TIMEOUT: happened.timePassed && (made.hasDeadline || !stream),
    SLOW_CONSUMER: happened.timePassed && stream,
    RATE_LIMITED: true,
    UNAVAILABLE: happened.closed || happened.reasons.has("stalled"),
  };
  assert.ok(reasons[code], `call ${script.number} ended with ${code}, for no reason`);
  if (code === "DRY") assert.deepEqual(details, { number: script.number });
  assert.ok(!JSON.stringify(outcome.error).includes("secret"));
}

interface Game {
  readonly stream: boolean;
  granted: number;
  sent: number;
  over: boolean;
}

/** Watches one side of a connection serve: what it may send is decided by what has arrived there. */
export class Referee {
  readonly #games = new Map<string, Game>();
  /** Items that were sent, over all streams. */
  items = 0;
  /** True once a request had the id of a call that is not over: the connection must not outlive that. */
  sawReuse = false;

  /** Something arrived at the serving side. */
  received({ type, id, payload }: SeenEnvelope): void {
    const game = this.#games.get(id);
    if (type === "call.requested" && (!game || game.over)) {
      this.#games.set(id, { stream: payload?.stream === true, granted: 32, sent: 0, over: false });
    } else if (type === "call.requested") this.sawReuse = true;
    else if (type === "call.credit" && game) game.granted += Number(payload.n);
    else if (type === "call.aborted" && game) game.over = true;
  }

  /** The serving side sent something. */
  sent({ type, id }: SeenEnvelope): void {
    if (type !== "call.responded" && type !== "call.completed" && type !== "call.error") return;
    const game = this.#games.get(id);
    assert.ok(game, `${type} for ${id}, which was not asked for`);
    assert.ok(!game.over, `${type} for ${id}, which is over`);
    if (type === "call.responded" && game.stream) {
      this.items++;
      assert.ok(++game.sent <= game.granted, `${game.sent} items for ${game.granted} of credit`);
    } else game.over = true;
  }

  /** Ids of calls that were neither answered nor aborted. */
  get unanswered(): readonly string[] {
    return [...this.#games].filter(([, { over }]) => !over).map(([id]) => id);
  }
}

/** Runs work that makes errors by the thousand, without recording their stacks. */
export async function withoutStacks(work: () => Promise<void>): Promise<void> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
