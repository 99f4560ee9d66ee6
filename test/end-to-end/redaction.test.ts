import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { examine } from "../../src/operator/doctor/index.ts";
import { reviewLock } from "../../src/operator/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { serveEchoingApi, serveEchoingMcp } from "../support/echoing-upstreams.ts";
import { postJson } from "../support/http-wire.ts";

const SECRET = "s3cr3t-Q7vZ2kLm9XwB4tYh6NcR8pJd1FgS5aUe3iOo";
/** So much of it in one piece is a leak: a secret must be found before anything is cut. */
const PIECE = 9;

function leakIn(text: string): string | undefined {
  const decoded = text.replaceAll(/[A-Za-z0-9+/]{24,}={0,2}/g, (run) =>
    [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), "base64").toString("latin1")).join(" "),
  );
  for (let at = 0; at + PIECE <= SECRET.length; at++) {
    const piece = SECRET.slice(at, at + PIECE);
    if (text.includes(piece) || decoded.includes(piece)) return piece;
  }
  return undefined;
}

test("a credential that an upstream echoes is nowhere to be read", async (t) => {
  process.env.ECHOED_SECRET = SECRET;
  t.after(() => delete process.env.ECHOED_SECRET);
  const token = { env: "ECHOED_SECRET" };
  const common = { token, external: "*", allowPrivate: true };
  const api = await serveEchoingApi(t, SECRET);
  const { url, directory, logged, gateway } = await startConfig(t, {
    audit: { file: "./audit.jsonl", inputs: true, outputs: true },
    sources: {
      up: { mcp: String(await serveEchoingMcp(t, SECRET)), ...common },
      api: { openapi: api, ...common },
    },
  });
  const text = async (path: string, body: object) => (await postJson(url + path, body)).text();
  const call = (operation: string, input = {}) => text("/call", { operation, input });
  const subscribed = () => text("/subscribe", { operation: "api/events" });
  const doctor = async () => {
    const checks: unknown[] = [];
    const signal = AbortSignal.timeout(20_000);
    for await (const check of examine({ directory, env: process.env, signal })) checks.push(check);
    return JSON.stringify(checks);
  };
  const lock = async () => {
    const review = await reviewLock({ directory });
    await review.accept();
    return JSON.stringify(review) + (await readFile(review.path, "utf8"));
  };

  const places: Readonly<Record<string, () => Promise<string>>> = {
    "text of a tool": () => call("up/text"),
    "data of a tool, keys too": () => call("up/data"),
    "error of a tool": () => call("up/fails"),
    "error of a tool that is cut": () => call("up/fails_at_length"),
    "link to a resource": () => call("up/link"),
    "bytes in base64": () => call("up/blob"),
    "refused input": () => call("up/refuses"),
    "error of the protocol": () => call("up/breaks"),
    "list of resources": () => call("up/list_resources"),
    "a resource": () => call("up/read_resource", { uri: "file:///a" }),
    "list of prompts": () => call("up/list_prompts"),
    "a prompt": () => call("up/get_prompt", { name: "p" }),
    "tools that are found": () => text("/search", { query: "described for bearer title", limit: 20 }),
    "schema of a tool": () => text("/schema", { names: ["up/described"] }),
    "list of all operations": () => call("services/list"),
    "answer of an API": () => call("api/ok"),
    "text of an API": () => call("api/text"),
    "message of a 400": () => call("api/bad"),
    "message of a 400 that is cut": () => call("api/long"),
    "page of a 500": () => call("api/broken"),
    "items and error of a stream": subscribed,
    "schema of an API's operation": () => text("/schema", { names: ["api/ok"] }),
    "why operations were left out": () => call("sources/list"),
    "what doctor says": doctor,
    "the lock, and its review": lock,
    "a call whose input has it": () => call("up/text", { echoed: SECRET }),
  };
  const leaks: string[] = [];
  for (const [place, read] of Object.entries(places)) {
    const shown = await read();
    const leak = leakIn(shown);
    if (leak !== undefined) leaks.push(`${place}: ${leak}`);
    if (!/\Wredacted\W|_redacted_/.test(shown)) leaks.push(`${place}: no echo in ${shown}`);
  }
  await gateway.close();
  const audit = await readFile(join(directory, "audit.jsonl"), "utf8");
  for (const [place, shown] of [
    ["the audit, with inputs and outputs", audit],
    ["the log", logged()],
  ] as const) {
    assert.match(shown, /\[redacted\]/, `${place} should have had something to redact`);
    const leak = leakIn(shown);
    if (leak !== undefined) leaks.push(`${place}: ${leak}`);
  }
  assert.deepEqual(leaks, []);
});

test("the echo is real: without the credential everything arrives", async (t) => {
  const { url } = await startConfig(t, {
    sources: {
      api: { openapi: await serveEchoingApi(t, "known-to-nobody"), external: "*", allowPrivate: true },
    },
  });
  const answer = await (await postJson(`${url}/call`, { operation: "api/ok" })).text();
  assert.match(answer, /"youSent":"undefined"/);
  assert.match(await (await postJson(`${url}/schema`, { names: ["api/ok"] })).text(), /known-to-nobody/);
});
