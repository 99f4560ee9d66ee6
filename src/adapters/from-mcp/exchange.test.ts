import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Exchange, OpenExchanges } from "./exchange.ts";
import type { Asker } from "./questions.ts";

const asker = (): Asker => async () => ({ action: "cancel" });

function callOf(id: number, whose: Asker | undefined): Exchange {
  return new Exchange({ jsonrpc: "2.0", id, method: "tools/call" }, { signal: undefined, asker: whose });
}

describe("a question", () => {
  test("on the stream of a call is that call's, whatever else runs, and nobody's once it has ended", () => {
    const [ada, bob] = [asker(), asker()];
    const [one, two] = [callOf(1, ada), callOf(2, bob)];
    const open = new OpenExchanges();
    open.add(one);
    open.add(two);
    assert.equal(open.askerOn(one), ada);
    assert.equal(open.askerOn(two), bob);
    open.answered(1);
    assert.equal(open.askerOn(one), undefined);
    assert.deepEqual([one.wasAskedAside, two.wasAskedAside], [false, false]);
  });

  test("on no request's stream is that of the only call there is; lists are no calls", () => {
    const ada = asker();
    const [call, list] = [callOf(1, ada), callOf(2, undefined)];
    const open = new OpenExchanges();
    assert.equal(open.askerOn(undefined), undefined);
    open.add(list);
    assert.equal(open.askerOn(undefined), undefined);
    open.add(call);
    assert.equal(open.askerOn(undefined), ada);
    assert.equal(call.wasAskedAside, true);
  });

  test("on no request's stream is nobody's where two calls run, or one was given up that may still ask", () => {
    const [ada, bob] = [asker(), asker()];
    const open = new OpenExchanges();
    open.add(callOf(1, ada));
    open.add(callOf(2, bob));
    assert.equal(open.askerOn(undefined), undefined);
    assert.equal(open.hasLoose, false);
    open.answered(1);
    assert.equal(open.askerOn(undefined), bob);
    open.givenUp(2);
    open.add(callOf(3, ada));
    assert.deepEqual([open.askerOn(undefined), open.hasLoose], [undefined, true]);
  });

  test("is not made doubtful by a list that was given up, nor by what is not known", () => {
    const ada = asker();
    const open = new OpenExchanges();
    open.add(callOf(1, undefined));
    open.givenUp(1);
    open.givenUp(7);
    open.add(callOf(2, ada));
    assert.deepEqual([open.askerOn(undefined), open.hasLoose], [ada, false]);
  });
});
