import assert from "node:assert/strict";
import { test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { loadConfig } from "../../../adapters/index.ts";
import { acceptsAnonymous } from "../../../config/index.ts";
import { createTokenResolver } from "../../../identity/index.ts";

test("init asks three questions with default answers and writes a valid configuration", async (t) => {
  const folder = createCliFolder(t, { answers: ["", "", ""] });
  const { code, out, asked } = await folder.run("init");
  assert.equal(code, 0);
  assert.equal(asked.length, 3);
  assert.match(out, /^Wrote pinhole\.yaml\.\n[\s\S]*pinhole add NAME URL-OR-FILE/);
  const { config } = await loadConfig({ directory: folder.path });
  assert.deepEqual([config.server.port, config.identities, acceptsAnonymous(config)], [7464, [], true]);
});

test("init asks again after an invalid answer, and says why", async (t) => {
  const folder = createCliFolder(t, { answers: ["many", "8080", "maybe", "y", "", "n"] });
  const { code, errors, asked, out } = await folder.run("init");
  assert.equal(code, 0);
  assert.equal(errors, "A port is a number from 1 to 65535.\nAnswer y or n.");
  assert.equal(asked.length, 6);
  const { config } = await loadConfig({ directory: folder.path });
  assert.deepEqual([config.server.port, acceptsAnonymous(config)], [8080, false]);
  const [token = ""] = /ph_[\w-]{43}/.exec(out) ?? [];
  assert.equal((await createTokenResolver(config.identities)(token))?.id, "agent");
  assert.ok(!folder.read("pinhole.yaml").includes(token), "the token itself is in no file");
});

test("init without a terminal takes its answers from options, or names the missing one", async (t) => {
  const folder = createCliFolder(t);
  const refused = await folder.run("init");
  assert.deepEqual(
    [refused.code, refused.errors],
    [2, "Port to listen on? This cannot be asked, since this is not a terminal. Add --port PORT, or --yes."],
  );
  assert.equal((await folder.run("init", "--yes", "--port", "81", "--token", "ci")).code, 0);
  const { config } = await loadConfig({ directory: folder.path });
  assert.deepEqual([config.server.port, config.identities[0]?.id], [81, "ci"]);
});

test("init does not overwrite a configuration unasked, and keeps a copy if it does", async (t) => {
  const mine = "server: { port: 1234 } # mine\n";
  const folder = createCliFolder(t, { files: { "pinhole.yaml": mine }, answers: ["n", "y", "", "", ""] });
  for (const line of [["init", "--yes"], ["init"]]) {
    const { code, errors } = await folder.run(...line);
    assert.equal(code, 2);
    assert.match(errors, /^pinhole\.yaml stays as it is\./);
    assert.equal(folder.read("pinhole.yaml"), mine);
  }
  assert.equal((await folder.run("init")).code, 0);
  assert.equal(folder.read("pinhole.yaml.bak"), mine);
  assert.match(folder.read("pinhole.yaml"), /port: 7464/);
  const again = await folder.run("init", "--yes", "--force");
  assert.match(again.out, /^Wrote pinhole\.yaml\. The previous file is kept as pinhole\.yaml\.bak\.1\.\n/);
  assert.equal(folder.read("pinhole.yaml.bak"), mine, "the first copy is still there");
});

test("init --editor writes a schema next to the configuration, and a line that refers to it", async (t) => {
  const folder = createCliFolder(t);
  await folder.run("init", "--yes", "--editor");
  assert.match(folder.read("pinhole.yaml"), /^# yaml-language-server: \$schema=\.\/pinhole\.schema\.json\n/);
  assert.equal(JSON.parse(folder.read("pinhole.schema.json")).title, "pinhole.yaml");
});
