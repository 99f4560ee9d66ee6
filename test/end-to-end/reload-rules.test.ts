import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startGateway } from "../../src/gateway/gateway.ts";
import { newToken } from "../../src/identity/index.ts";
import { createLog } from "../../src/observe/log.ts";
import { startConfig } from "../support/config-gateway.ts";
import { serveSilence } from "../support/silence.ts";

test("a caller that is taken out of the config is refused before the new sources are awaited", async (t) => {
  const silence = await serveSilence(t);
  const [ada, bob] = [newToken(), newToken()];
  const identities = [
    { id: "ada", tokenHash: ada.tokenHash },
    { id: "bob", tokenHash: bob.tokenHash },
  ];
  const { reload, url } = await startConfig(t, { identities });
  const statusFor = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ operation: "notes/list" });
    return (await fetch(`${url}/call`, { method: "POST", headers, body })).status;
  };
  assert.equal(await statusFor(ada.token), 200);

  const sources = { silent: { mcp: silence.url, allowPrivate: true, external: "*" } };
  const reloading = reload({ identities: identities.slice(1), sources });
  await silence.visited;
  assert.deepEqual([await statusFor(ada.token), await statusFor(bob.token)], [401, 200]);
  await reloading;
});

/** A gateway with everything that must not be lost, and what a caller with and one without a token get there. */
async function startGuarded(t: TestContext) {
  const ada = newToken();
  const config = {
    deny: ["notes/erase"],
    access: { anonymous: false },
    identities: [{ id: "ada", tokenHash: ada.tokenHash, scopes: ["operator"] }],
  };
  const { gateway, directory, url } = await startConfig(t, config);
  const statusOf = async (operation: string, token?: string) => {
    const headers = {
      "content-type": "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const body = JSON.stringify({ operation });
    return (await fetch(`${url}/call`, { method: "POST", headers, body })).status;
  };
  const file = join(directory, "pinhole.yaml");
  const look = async () => [
    await statusOf("notes/list", ada.token),
    await statusOf("sources/list"),
    await statusOf("notes/erase", ada.token),
  ];
  return { gateway, directory, file, text: readFileSync(file, "utf8"), look, statusOf, ada };
}

test("a file that is empty or cut short is not taken, wherever it is cut, and says what to write if it was meant", async (t) => {
  const { gateway, file, text, look } = await startGuarded(t);
  const untouched = [200, 401, 404];
  assert.deepEqual(await look(), untouched);
  const lines = text.split("\n");
  for (let kept = 0; kept < lines.length; kept++) {
    writeFileSync(file, lines.slice(0, kept).join("\n"));
    await gateway.reload().catch(() => {});
    assert.deepEqual(await look(), untouched, `cut to ${kept} lines`);
  }
  for (const [without, advice] of [
    [/^deny:\n(?: .*\n)*/m, /deny: was there before .* Write deny: \[\] if that is meant/],
    [/^identities:\n(?: .*\n)*/m, /Write identities: \[\] if that is meant/],
    [/^sources:\n(?: .*\n)*/m, /Write sources: \{\} if that is meant/],
  ] as const) {
    writeFileSync(file, text.replace(without, ""));
    await assert.rejects(gateway.reload(), advice);
  }
  writeFileSync(file, "# nothing\n");
  await assert.rejects(gateway.reload(), /pinhole\.yaml {2}The file is empty.* Write sources: \{\}/);
  assert.deepEqual(await look(), untouched);
});

test("what is said to go goes", async (t) => {
  const { gateway, file, look } = await startGuarded(t);
  const rest = "sources: { notes: { plugin: ./notes.ts } }\ndeny: []\nidentities: []\n";
  writeFileSync(file, rest);
  await assert.rejects(gateway.reload(), /Write access: \{ anonymous: true \} if that is meant/);
  writeFileSync(file, `${rest}access: { anonymous: true }\n`);
  await gateway.reload();
  assert.deepEqual((await look()).slice(1), [200, 401]);
});

test("an empty file does not start a gateway", async (t) => {
  const { directory, file } = await startGuarded(t);
  writeFileSync(file, "");
  const log = createLog("error", () => {});
  await assert.rejects(startGateway({ directory, log, watch: false }), /Write sources: \{\}/);
});

test("saves one after the other never let a caller without a token in, nor one with a good token out", async (t) => {
  const { directory, file, text, ada } = await startGuarded(t);
  const log = createLog("error", () => {});
  const gateway = await startGateway({ directory, log, flags: { port: "0" } });
  t.after(() => gateway.close());
  const ask = async (operation: string, token?: string) => {
    const headers = {
      "content-type": "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const body = JSON.stringify({ operation });
    return (await fetch(`${gateway.url}/call`, { method: "POST", headers, body })).status;
  };
  const seen = new Set<string>();
  let saves = 0;
  const timer = setInterval(() => writeFileSync(file, `${text}# ${saves++}\n`), 120);
  try {
    while (saves < 20) seen.add(`${await ask("notes/list", ada.token)} ${await ask("sources/list")}`);
  } finally {
    // What was registered first to run after the test removes the folder.
    clearInterval(timer);
  }
  assert.deepEqual([...seen], ["200 401"]);
});
