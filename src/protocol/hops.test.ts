import assert from "node:assert/strict";
import { test } from "node:test";
import { addHop, MAX_HOPS, refuseLoop } from "./limits.ts";

test("a call goes round a ring of any size once, and no further", () => {
  for (let size = 1; size < MAX_HOPS; size++) {
    const nodes = Array.from({ length: size }, (_, index) => `node-${index}`);
    let hops: readonly string[] = [];
    for (const node of nodes) {
      assert.equal(refuseLoop(hops, node), undefined);
      hops = addHop(hops, node);
    }
    const refusal = refuseLoop(hops, "node-0");
    assert.equal(refusal?.code, "UNAVAILABLE");
    assert.equal(refusal?.retryable, false);
  }
});

test("a call passes so many nodes and no more", () => {
  const hops = Array.from({ length: MAX_HOPS - 1 }, (_, index) => `node-${index}`);
  assert.equal(refuseLoop(hops, "here"), undefined);
  assert.match(refuseLoop(addHop(hops, "one more"), "here")?.message ?? "", /has passed 8 nodes/);
});
