import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSessionIds } from "./session-ids.ts";

const KEY = new Uint8Array(32).fill(7);
const DAY = 24 * 60 * 60 * 1_000;
const CLIENT = { protocolVersion: "2025-06-18", capabilities: { elicitation: {}, sampling: {} } };

describe("the id of a session", () => {
  test("the id of a session says all that is known of it, to each holder of the key", () => {
    const id = createSessionIds(KEY, "").issue("ada", CLIENT);
    const { number, ...session } = createSessionIds(KEY, "").read(id, "ada") ?? assert.fail("refused");
    assert.match(number, /^[\w-]{22}$/);
    assert.deepEqual(session, {
      principal: "ada",
      revision: "2025-06-18",
      capabilities: { elicitation: { form: {} }, sampling: {} },
    });
    assert.match(id, /^[\x21-\x7e]{1,120}$/, "visible ASCII, as the protocol wants it");
    assert.doesNotMatch(id, /ada/);
  });

  test("the id of a session is refused for another principal, endpoint or key", () => {
    const id = createSessionIds(KEY, "").issue("ada", CLIENT);
    assert.equal(createSessionIds(KEY, "").read(id, "bob"), undefined);
    assert.equal(createSessionIds(KEY, "reads").read(id, "ada"), undefined);
    assert.equal(createSessionIds(new Uint8Array(32), "").read(id, "ada"), undefined);
    assert.equal(
      createSessionIds(KEY, 'x","').read(createSessionIds(KEY, "x").issue('","a', CLIENT), "a"),
      undefined,
    );
  });

  test("the id of a session is refused with any part of it changed", () => {
    const ids = createSessionIds(KEY, "");
    const parts = ids.issue("ada", { ...CLIENT, capabilities: {} }).split(".");
    const other = ids.issue("ada", CLIENT).split(".");
    assert.ok(ids.read(parts.join("."), "ada"));
    other[1] = `z${other[1]?.slice(1)}`;
    other[2] = "2025-11-25";
    for (const [place, part] of other.entries()) {
      const forged = parts.with(place, part).join(".");
      assert.equal(ids.read(forged, "ada"), undefined, forged);
    }
    for (const odd of ["", ".", "a".repeat(100_000), `${parts.join(".")}.`, parts.slice(0, 4).join(".")])
      assert.equal(ids.read(odd, "ada"), undefined);
  });

  test("the id of a session is refused after a week", () => {
    let now = Date.now();
    const ids = createSessionIds(KEY, "", () => now);
    const id = ids.issue("ada", CLIENT);
    now += 7 * DAY - 1;
    assert.ok(ids.read(id, "ada"));
    now += 1;
    assert.equal(ids.read(id, "ada"), undefined);
  });

  test("the id of a session says that forms can be asked for where the client does not say that it opens pages alone", () => {
    const ids = createSessionIds(KEY, "");
    const read = (capabilities: unknown) =>
      ids.read(ids.issue("ada", { ...CLIENT, capabilities }), "ada")?.capabilities;
    const FORMS = { elicitation: { form: {} } };
    assert.deepEqual(read({ elicitation: {} }), FORMS);
    assert.deepEqual(read({ elicitation: { form: {}, url: {} } }), FORMS);
    for (const none of [{ elicitation: { url: {} } }, { elicitation: true }, {}, undefined, "s"])
      assert.deepEqual(read(none), {});
  });

  test("the id of a session has the revision that is spoken where the client asks for an unknown one", () => {
    const ids = createSessionIds(KEY, "");
    const id = ids.issue("ada", { ...CLIENT, protocolVersion: "1999-01-01" });
    assert.equal(ids.read(id, "ada")?.revision, "2025-11-25");
  });
});
