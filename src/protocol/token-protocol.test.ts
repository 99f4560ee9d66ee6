import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CALL_PROTOCOL, tokenIn, toSubprotocols } from "./token-protocol.ts";

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

test("without a token subprotocol there is no token; one that cannot be decoded is an empty token", () => {
  assert.equal(tokenIn(toSubprotocols()), undefined);
  assert.equal(tokenIn(["pinhole.call.v1", "pinhole.token.%%%"]), "");
});
