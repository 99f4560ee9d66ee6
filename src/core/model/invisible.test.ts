import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { showInvisible, withoutInvisible } from "./invisible.ts";

describe("what models read of a source", () => {
  test("texts of a source reach models without invisible characters", () => {
    const hidden = {
      "zero width": "del\u200bete\u200c all\u200d",
      "tags block": "Hi\u{e0049}\u{e0067}\u{e006e}",
      bidi: "a\u202eb\u2066c\u200ed",
      controls: "a\u001b[2Jb\u0000c\u0085d",
      "variation selectors in a row": "x\u{e0100}\u{e0101}\u{e01ef}y😀\ufe0f\ufe01\ufe02",
      "soft hyphens, fillers, marks of order": "a\u00adb\u3164c\ufeffd\u2060e",
      "private use": "a\ue000b",
    };
    const shown = Object.values(withoutInvisible(hidden));
    assert.deepEqual(shown, ["delete all", "Hi", "abcd", "a[2Jbcd", "xy😀\ufe0f", "abcde", "ab"]);
    assert.equal(withoutInvisible("one\u2028two"), "one\ntwo");
  });

  test("texts keep the invisible characters that scripts and emoji need, and are then the same value", () => {
    const value = {
      persian: "می\u200cخواهم",
      hindi: "क्\u200dष",
      family: "👨\u200d👩\u200d👧",
      heart: "❤\ufe0f\u200d🔥",
      key: "1\ufe0f\u20e3",
      han: "葛\u{e0100}",
      lines: "a\n\tb",
      arabic: "\u0600١",
      list: [{ deep: "ü ß 漢字" }],
    };
    assert.equal(withoutInvisible(value), value);
  });

  test("a name or an allowed value with invisible characters is refused, because removing them would change it", () => {
    for (const schema of [
      { properties: { "q\u200b": {} } },
      { properties: { q: { enum: ["a", "b\u{e0041}"] } } },
      { const: "a\u202e" },
    ])
      assert.throws(
        () => withoutInvisible(schema),
        /".*\\u\{[0-9a-f]+\}.*" has characters that cannot be seen/,
      );
  });

  test("looks at parts that are shared once", () => {
    let looks = 0;
    const shared = Object.defineProperty({}, "x", { enumerable: true, get: () => `${looks++}` });
    const known = new WeakMap();
    for (let n = 0; n < 3; n++) withoutInvisible({ shared }, known);
    assert.ok(looks <= 2);
  });
});

test("a reviewer sees every character that is hidden, also those that are kept", () => {
  assert.equal(
    showInvisible("a\u200bb\u{e0041}\u001b👨\u200d👩\n"),
    "a\\u{200b}b\\u{e0041}\\u{001b}👨\\u{200d}👩\n",
  );
});
