import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { Capabilities } from "./identity.ts";

test("a secret is given away by its name only", () => {
  const capabilities = new Capabilities({ token: "s3cret" });
  assert.equal(capabilities.get("token"), "s3cret");
  assert.equal(capabilities.get("other"), undefined);
  assert.equal(capabilities.get("constructor"), undefined);
});

test("no way of printing capabilities shows a secret", () => {
  const capabilities = new Capabilities({ token: "s3cret" });
  const printed = [
    JSON.stringify({ capabilities }),
    String(capabilities),
    `${capabilities}`,
    inspect(capabilities, { depth: 9, showHidden: true }),
    inspect({ nested: { capabilities } }, { depth: 9, showHidden: true }),
    JSON.stringify({ ...capabilities }),
    JSON.stringify(Object.entries(capabilities)),
  ];
  for (const text of printed) assert.ok(!text.includes("s3cret"), text);
  assert.throws(() => structuredClone({ get: capabilities.get }), "methods cannot be cloned");
  assert.ok(!JSON.stringify(structuredClone(capabilities)).includes("s3cret"));
});
