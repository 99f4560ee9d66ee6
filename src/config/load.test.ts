import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { keysOf } from "../../test/support/source-keys.ts";
import { loadConfig } from "../adapters/index.ts";
import { hashToken } from "../identity/index.ts";
import { ConfigError } from "./config-error.ts";
import type { LoadConfigOptions } from "./load.ts";

function directoryWith(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>): string {
  const directory = mkdtempSync(join(tmpdir(), "pinhole-config-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  return directory;
}

async function refusalOf(options: LoadConfigOptions): Promise<string> {
  const error = await loadConfig(options).then(
    () => new Error("accepted"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ConfigError, String(error));
  return error.message;
}

test("without a file all values are defaults and paths are relative to the directory", async (t) => {
  const directory = directoryWith(t, {});
  const loaded = await loadConfig({ directory });
  assert.equal(loaded.file, undefined);
  assert.equal(loaded.directory, directory);
  assert.equal(loaded.config.server.port, 7464);
  assert.equal(loaded.config.limits.outputValidation, "warn");
});

test("pinhole.yaml of the directory is read, and missing keys have their defaults", async (t) => {
  const text = "server: { port: 0 }\nsources:\n  pets: { plugin: ./pets.ts }\n";
  const directory = directoryWith(t, { "pinhole.yaml": text });
  const { config, file } = await loadConfig({ directory });
  assert.equal(file, join(directory, "pinhole.yaml"));
  assert.equal(config.server.port, 0);
  assert.equal(config.server.host, "127.0.0.1");
  assert.equal(keysOf(config).pets?.plugin, "./pets.ts");
  assert.equal(config.sources.pets?.external, undefined);
});

test("a named file is read in place of pinhole.yaml, and paths are relative to it", async (t) => {
  const directory = directoryWith(t, { "pinhole.yaml": "nonsense: 1\n" });
  mkdirSync(join(directory, "team"));
  writeFileSync(join(directory, "team", "gateway.yaml"), "deny: [a/*]\n");
  const loaded = await loadConfig({ directory, file: "team/gateway.yaml" });
  assert.deepEqual(loaded.config.deny, ["a/*"]);
  assert.equal(loaded.directory, join(directory, "team"));
});

test("flags override the file and must fit the same schema", async (t) => {
  const directory = directoryWith(t, { "pinhole.yaml": "server: { port: 1, maxNesting: 9 }\n" });
  const { config } = await loadConfig({ directory, flags: { port: "8080", host: "::1" } });
  assert.deepEqual([config.server.port, config.server.host, config.server.maxNesting], [8080, "::1", 9]);

  assert.equal(
    await refusalOf({ directory, flags: { port: "http" } }),
    '--port: expected integer, found "http"',
  );
  assert.equal(
    await refusalOf({ directory, flags: { port: "65536" } }),
    "--port: expected at most 65535, found number 65536",
  );
});

test("a wrong value in the file is reported even if a flag overrides it", async (t) => {
  const directory = directoryWith(t, { "pinhole.yaml": "server:\n  port: x\n" });
  const text = 'pinhole.yaml:2  server.port: expected integer, found "x"';
  assert.equal(await refusalOf({ directory, flags: { port: "80" } }), text);
});

test("all problems are reported at once, in the order of the file", async (t) => {
  const directory = directoryWith(t, {
    "pinhole.yaml": [
      "server:",
      "  prot: 8080",
      "  stateKey: hunter2",
      "sources:",
      "  pets: { plugn: ./pets.ts }",
      "identities:",
      "  - id: ci",
      "    tokenHash: ph_hunter2",
      "    scopes: github",
      "limits:",
      "  deadlineMs: 30s",
      "logs: {}",
      "deny:",
    ].join("\n"),
  });
  assert.equal(
    await refusalOf({ directory, flags: { port: "http" } }),
    `The configuration has 9 problems:
  pinhole.yaml:2  server.prot: unknown key; did you mean port?
  pinhole.yaml:3  server.stateKey: expected object, found a text. Write { env: NAME } or { file: path }; the secret itself never goes into the configuration.
  pinhole.yaml:5  sources.pets.plugn: unknown key; did you mean plugin?
  pinhole.yaml:8  identities[0].tokenHash: expected a text that matches ^sha256:[0-9a-fA-F]{64}$, found a text. Run \`pinhole token\` to make a token and its hash.
  pinhole.yaml:9  identities[0].scopes: expected array of string, found a text
  pinhole.yaml:11  limits.deadlineMs: expected integer, found "30s"
  pinhole.yaml:12  logs: unknown key; did you mean log?
  pinhole.yaml:13  deny: expected array of string, found nothing after the colon
  --port: expected integer, found "http"`,
  );
});

test("a file that is not a map of keys is refused", async (t) => {
  const directory = directoryWith(t, { "pinhole.yaml": "# a list\n- server\n" });
  assert.equal(await refusalOf({ directory }), "pinhole.yaml:2  expected object, found array of 1 item");
});

test("an address that others can reach is refused without identities, wherever it was given", async (t) => {
  const open = "server:\n  host: 0.0.0.0\n";
  const identities = `identities: [{ id: ci, tokenHash: "${hashToken("a")}" }]\n`;
  const directory = directoryWith(t, {
    "pinhole.yaml": open,
    "closed.yaml": open + identities,
    "empty.yaml": "sources: {}",
  });
  assert.match(
    await refusalOf({ directory }),
    /^pinhole\.yaml:2 {2}server\.host: others may reach "0\.0\.0\.0"/,
  );
  assert.match(
    await refusalOf({ directory, file: "empty.yaml", flags: { host: "::" } }),
    /^--host: others may reach "::"/,
  );
  assert.equal((await loadConfig({ directory, file: "closed.yaml" })).config.server.host, "0.0.0.0");
  assert.equal(
    (await loadConfig({ directory, flags: { host: "localhost" } })).config.server.host,
    "localhost",
  );
});

test("a file that cannot be read is refused with what to do", async (t) => {
  const directory = directoryWith(t, {
    "large.yaml": `# ${"x".repeat(1_048_576)}`,
    "largest.yaml": `{} # ${"x".repeat(1_048_571)}`,
    "latin.yaml": new Uint8Array([0x61, 0x3a, 0x20, 0xe4]),
  });
  assert.match(await refusalOf({ directory, file: "none.yaml" }), /^none\.yaml {2}There is no such file\./);
  assert.match(await refusalOf({ directory, file: "." }), /This is a directory\./);
  assert.match(
    await refusalOf({ directory, file: "large.yaml" }),
    /^large\.yaml {2}The file is larger than 1048576 bytes\./,
  );
  assert.match(await refusalOf({ directory, file: "latin.yaml" }), /not UTF-8/);
  assert.equal((await loadConfig({ directory, file: "largest.yaml" })).config.server.port, 7464);
});

test("pinhole.yml is refused instead of ignored", async (t) => {
  const directory = directoryWith(t, { "pinhole.yml": "deny: [a/*]\n" });
  assert.match(
    await refusalOf({ directory }),
    /^pinhole\.yml {2}is not read by itself\. Rename it to pinhole\.yaml/,
  );
  assert.deepEqual((await loadConfig({ directory, file: "pinhole.yml" })).config.deny, ["a/*"]);
});
