import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "../core/index.ts";
import { SecretsInUse, withoutSecrets } from "./secrets-in-use.ts";

test("a secret that is still reported stays known, however many tokens were used since it was new", () => {
  const secrets = new SecretsInUse();
  const tokens = (start: number) => Array.from({ length: 15_000 }, (_, at) => `token-number-${start + at}`);
  secrets.add(["hunter2-hunter2", "replaced-secret"]);
  secrets.add(tokens(0));
  secrets.add(["hunter2-hunter2"]);
  secrets.add(tokens(15_000));
  const { text } = secrets.redactor();
  assert.equal(text("hunter2-hunter2 replaced-secret"), "[redacted] replaced-secret");
});

test("texts for operators have no secrets, and no parts of addresses that may contain some", () => {
  for (const [text, shown] of [
    ["It refused hunter2-hunter2.", "It refused [redacted]."],
    ["https://a:b@example.com/mcp?key=c#d cannot be reached", "https://example.com/mcp cannot be reached"],
    ['see "http://example.com?key=c"', 'see "http://example.com"'],
    ["https://[bad is odd", "[address] is odd"],
    ["https://example.com/ is fine", "https://example.com/ is fine"],
    ["nothing to hide", "nothing to hide"],
  ] as const) {
    assert.equal(withoutSecrets(text, createRedactor(["hunter2-hunter2"])), shown);
  }
});
