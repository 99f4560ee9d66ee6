import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Actor } from "../../test/support/call-actor.ts";
import { HostilePeer } from "../../test/support/call-hostile-peer.ts";
import { Referee, SMALL_LIMITS, withoutStacks } from "../../test/support/call-schedule.ts";
import { SimulatedTime, settle } from "../../test/support/call-time.ts";
import { type SeenEnvelope, WireEnd } from "../../test/support/call-wire.ts";
import { scaled } from "../../test/support/scale.ts";
import { createConnection } from "./connection.ts";

const SCHEDULES = Number(process.env.PINHOLE_SCHEDULES ?? scaled(1_000, 12_000));
const NOTHING = { outgoing: 0, incoming: 0, incomingStreams: 0, waitingForRoom: 0 };

const schedules = fc.uint8Array({ minLength: 31, maxLength: 181 });

/** One connection that keeps to the protocol, and a peer that does not. */
class Siege {
  readonly time = new SimulatedTime();
  readonly actor = new Actor({ allowRepeats: true });
  readonly referee = new Referee();
  readonly here: WireEnd;
  readonly there: WireEnd;
  readonly peer: HostilePeer;
  arrived = 0;
  #calls = 0;

  constructor(capacity: number) {
    this.here = new WireEnd({
      capacity,
      onSent: (seen) => this.#sent(seen),
      onReceived: (seen) => this.#got(seen),
    });
    this.there = new WireEnd({ capacity: 1_000_000 });
    this.here.join(this.there);
    this.peer = new HostilePeer(this.there);
    this.there.open({ message: () => {}, drained: () => {}, closed: () => {} });
    this.actor.connection = createConnection({
      transport: this.here,
      service: this.actor.service,
      timers: this.time,
      limits: SMALL_LIMITS,
    });
  }

  step(what: number, first: number, second: number): void {
    const action = what % 16;
    if (action < 6) this.#attack(first, second);
    else if (action === 6) this.there.deliver(1 + (second % 90));
    else if (action < 9) this.there.deliver(1_000_000);
    else if (action === 9) this.here.deliver(second * 10);
    else if (action === 10) this.actor.letGo(first);
    else if (action === 11) this.actor.call(this.#script(), second % 3 === 0 ? second : undefined);
    else if (action === 12) this.actor.subscribe(this.#script(), second % 3 === 0 ? second : undefined);
    else if (action === 13) this.actor.take(first);
    else if (action === 14) this.actor.abort(first, second % 2 === 0);
    else this.time.pass(second);
  }

  #attack(first: number, second: number): void {
    if (second === 255) this.peer.sendGarbage(first);
    else this.peer.send(this.peer.envelope(first, second, first ^ second));
  }

  #sent(seen: SeenEnvelope): void {
    this.referee.sent(seen);
    this.peer.sees(seen);
  }

  #got(seen: SeenEnvelope): void {
    this.arrived++;
    if (seen) this.referee.received(seen);
  }

  #script() {
    return { number: this.#calls++, mode: "value", items: 0, gated: false } as const;
  }
}

test("no peer can make a call end twice, get more than it granted, or leave anything behind", async () => {
  let survived = 0;
  let received = 0;
  const property = fc.asyncProperty(schedules, async (schedule) => {
    const siege = new Siege((schedule[0] ?? 0) * 20);
    const { actor, here, time } = siege;
    for (let at = 1; at + 2 < schedule.length; at += 3) {
      const [what = 0, first = 0, second = 0] = schedule.subarray(at, at + 3);
      siege.step(what, first, second);
      if (what < 200) await settle();
      assert.ok(!(siege.referee.sawReuse && here.isOpen), "an id is not used twice at a time");
      assert.ok((actor.connection?.pending().incoming ?? 0) <= (SMALL_LIMITS.maxIncomingCalls ?? 0));
    }
    if (here.isOpen) survived++;
    received += siege.arrived;
    here.cut();
    actor.isGreedy = true;
    for (let round = 0; round < 40 && actor.unsettled > 0; round++) {
      actor.takeAll();
      await settle();
    }
    assert.deepEqual(actor.faults, []);
    assert.equal(actor.unsettled, 0, "each call ended");
    assert.deepEqual(actor.connection?.pending(), NOTHING);
    for (const run of actor.runs) assert.ok(run.ended || run.signal.aborted, "each handler was told");
    time.pass(1_000_000);
    assert.equal(time.running, 0);
  });
  await withoutStacks(() => fc.assert(property, { numRuns: SCHEDULES }));
  // Neither does everything close the connection, nor does nothing.
  assert.ok(survived > SCHEDULES / 20 && survived < SCHEDULES, `${survived} connections lived on`);
  assert.ok(received > SCHEDULES * 2, `${received} envelopes were taken`);
});
