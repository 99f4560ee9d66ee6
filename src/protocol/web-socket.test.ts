import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CALL_PROTOCOL, fromCloseFrame, toCloseFrame, tokenIn, toSubprotocols } from "./web-socket.ts";

test("a reason fits into a close frame, whole characters only", () => {
  const { reason } = toCloseFrame({ code: "protocol", message: "ü".repeat(200) });
  assert.equal(reason, "ü".repeat(61));
  assert.deepEqual(toCloseFrame({ code: "closed", message: "Done." }), { code: 1000, reason: "Done." });
});

test("a close frame maps to its error, with or without a reason", () => {
  const codeOf = (code: number) => fromCloseFrame(code, "").code;
  assert.deepEqual([1000, 1001, 4001, 4400, 4408, 1009].map(codeOf), [
    "closed",
    "leaving",
    "leaving",
    "closed",
    "closed",
    "closed",
  ]);
  assert.deepEqual([1006, 4000].map(codeOf), ["lost", "lost"]);
  assert.match(
    fromCloseFrame(4400, "It is not JSON.").message,
    /refused what it got \(4400\): It is not JSON\./,
  );
  assert.match(fromCloseFrame(1009, "").message, /\(1009\): A message was larger than it takes\./);
});

test("any token fits into a subprotocol and comes out as it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (token) => {
      const offered = toSubprotocols(token);
      assert.equal(offered[0], CALL_PROTOCOL);
      // RFC 6455, section 4.1: the characters of a token of HTTP.
      for (const name of offered) assert.match(name, /^[A-Za-z0-9._-]+$/);
      assert.equal(tokenIn(offered), token);
    }),
  );
});

test("no token subprotocol means no token; one that cannot be decoded is an empty token", () => {
  assert.equal(tokenIn(toSubprotocols()), undefined);
  assert.equal(tokenIn(["pinhole.call.v1", "pinhole.token.%%%"]), "");
});
