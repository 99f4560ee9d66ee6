import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parse, stringify } from "yaml";
import { ConfigError } from "./config-error.ts";
import { withoutSource, withSource } from "./edit-text.ts";

const ENTRY = { mcp: "https://x.example/mcp", token: { env: "X_TOKEN" }, external: "*" };
const LINES = '  new:\n    mcp: https://x.example/mcp\n    token: { env: X_TOKEN }\n    external: "*"\n';

test("a source is added beside the others, in their notation", () => {
  for (const [before, after] of [
    ["", `sources:\n${LINES}`],
    ["# only a comment\n", `# only a comment\nsources:\n${LINES}`],
    ["log: { level: warn }", `log: { level: warn }\nsources:\n${LINES}`],
    ["sources: {} # none\nlog: {}\n", `sources: # none\n${LINES}log: {}\n`],
    ["sources:   # here\n\nlog: {}\n", `sources:   # here\n${LINES}\nlog: {}\n`],
    [
      "sources:\n  a:   {plugin: x}   # yes\n\n# the door\nlog: {}\n",
      `sources:\n  a:   {plugin: x}   # yes\n${LINES}\n# the door\nlog: {}\n`,
    ],
    [
      "sources:\n  a:\n    plugin: x\n    description: |\n      long\n      text",
      `sources:\n  a:\n    plugin: x\n    description: |\n      long\n      text\n${LINES}`,
    ],
    [
      "sources: { a: { plugin: x } }\n",
      'sources: { a: { plugin: x }, new: { mcp: https://x.example/mcp, token: { env: X_TOKEN }, external: "*" } }\n',
    ],
    ["sources:\r\n  a: {plugin: x}\r\nlog: {}\r\n", undefined],
  ] as const) {
    const written = withSource(before, "new", ENTRY);
    if (after !== undefined) assert.equal(written, after);
    assert.deepEqual(parse(written).sources.new, ENTRY);
  }
});

test("removing a source removes its own comment and no other", () => {
  const text =
    "sources:\n  # about all\n  a: {plugin: x}\n  # about b\n  b:\n    plugin: y\n  # about c\n  c: {plugin: z} # end\n";
  assert.equal(
    withoutSource(text, "b"),
    "sources:\n  # about all\n  a: {plugin: x}\n  # about c\n  c: {plugin: z} # end\n",
  );
  assert.equal(withoutSource(text, "d"), undefined);
  assert.equal(withoutSource("sources: { a: { plugin: x } }\n", "a"), "sources: {}\n");
  assert.equal(withoutSource("", "a"), undefined);
});

test("adding and removing a source changes nothing else in the meaning of any file", () => {
  const key = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,12}$/);
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
  const source = fc.dictionary(key, fc.oneof(scalar, fc.array(fc.string(), { maxLength: 3 })), {
    maxKeys: 3,
  });
  const config = fc.record({ sources: fc.dictionary(key, source, { maxKeys: 4 }), log: source });
  const style = fc.constantFrom({}, { indent: 4 }, { collectionStyle: "flow" as const }, { lineWidth: 0 });
  fc.assert(
    fc.property(config, style, key, (given, options, name) => {
      // Plain objects, as a parser makes them.
      const value: typeof given = JSON.parse(JSON.stringify(given));
      const text = stringify(value, options);
      const added = withSource(text, name, ENTRY);
      assert.deepEqual(parse(added), { ...value, sources: { ...value.sources, [name]: ENTRY } });
      const { [name]: _, ...rest } = value.sources;
      assert.deepEqual(parse(withoutSource(added, name) ?? ""), { ...value, sources: rest });
    }),
    { numRuns: 150 },
  );
});

test("a text that is not YAML, or not a configuration, is not touched", () => {
  assert.throws(() => withSource("a: [", "x", ENTRY), ConfigError);
  assert.throws(() => withSource("- a\n", "x", ENTRY), ConfigError);
});
