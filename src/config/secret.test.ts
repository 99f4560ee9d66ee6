import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { resolveSecret } from "./secret.ts";

const KEYS = ["server", "stateKey"];
const placeOf = (keys: readonly string[]) => ({ file: "pinhole.yaml", line: 7, path: keys.join(".") });

test("a secret from the environment is taken unchanged", () => {
  assert.equal(
    resolveSecret({ env: "KEY" }, KEYS, { placeOf, directory: ".", env: { KEY: " a b\n" } }),
    " a b\n",
  );
});

test("a secret from a file is relative to the configuration, without one newline at its end", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "pinhole-secret-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const read = (text: string) => {
    writeFileSync(join(directory, "key"), text);
    return resolveSecret({ file: "key" }, KEYS, { placeOf, directory, env: {} });
  };
  assert.equal(read("hunter2\n"), "hunter2");
  assert.equal(read("hunter2\r\n"), "hunter2");
  assert.equal(read("hunter2\n\n"), "hunter2\n");
  assert.equal(read(" hunter2 "), " hunter2 ");
  assert.throws(() => read("\n"), {
    name: "ConfigError",
    message: /\{ file: key \} is missing: .* is empty\. Write/,
  });
  assert.throws(
    () => resolveSecret({ file: "." }, KEYS, { placeOf, directory, env: {} }),
    /cannot be read \(EISDIR\)/,
  );
});

test("a reference to a missing secret is named", () => {
  const around = { placeOf, directory: tmpdir(), env: { EMPTY: "" } };
  const refused = (reference: object, message: RegExp) =>
    assert.throws(() => resolveSecret(reference, KEYS, around), { name: "ConfigError", message });
  refused(
    { env: "KEY" },
    /^pinhole\.yaml:7 {2}server\.stateKey: The secret \{ env: KEY \} is missing: the environment variable is not set\./,
  );
  refused({ env: "EMPTY" }, /is empty/);
  refused({ env: "toString" }, /is not set/);
  refused({ file: "no/such/key" }, /The secret \{ file: no\/such\/key \} is missing: there is no file /);
  refused({}, /neither/);
});
