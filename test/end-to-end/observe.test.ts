import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { newToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { getJson, postJson } from "../support/http-wire.ts";

const LIST = { operation: "notes/list" };

describe("metrics", () => {
  test("metrics are there for everyone on the machine while there are no identities", async (t) => {
    const { url } = await startConfig(t);
    await postJson(`${url}/call`, LIST);
    await postJson(`${url}/call`, { operation: "notes/nope" });
    const response = await fetch(`${url}/metrics`);
    assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    assert.match(text, /^pinhole_calls_total\{namespace="notes",outcome="ok",decision="allowed"\} 1$/m);
    assert.match(text, /^pinhole_calls_total\{namespace="",outcome="NOT_FOUND",decision="refused"\} 1$/m);
    assert.match(text, /^pinhole_source_healthy\{source="notes"\} 1$/m);
    assert.equal((await fetch(`${url}/metrics`, { method: "POST" })).status, 405);
  });

  test("metrics need the scope of operators once there are identities, and are not there for others", async (t) => {
    const [operator, other] = [newToken(), newToken()];
    const { url } = await startConfig(t, {
      identities: [
        { id: "op", tokenHash: operator.tokenHash, scopes: ["operator"] },
        { id: "ada", tokenHash: other.tokenHash },
      ],
    });
    const at = (path: string, token?: string) => getJson(url + path, token === undefined ? {} : { token });
    assert.equal((await at("/metrics", operator.token)).status, 200);
    const [ada, nobody, elsewhere] = await Promise.all([
      at("/metrics", other.token),
      at("/metrics"),
      at("/nowhere"),
    ]);
    assert.deepEqual([ada.status, nobody.status, elsewhere.status], [404, 404, 404]);
    assert.equal(await ada.text(), await elsewhere.text());
  });
});

describe("operators' operations", () => {
  test("operators' operations are theirs alone once there are identities", async (t) => {
    const [operator, other] = [newToken(), newToken()];
    const { url } = await startConfig(t, {
      identities: [
        { id: "op", tokenHash: operator.tokenHash, scopes: ["operator"] },
        { id: "ada", tokenHash: other.tokenHash },
      ],
    });
    const call = { operation: "sources/list" };
    assert.equal((await postJson(`${url}/call`, call, { token: operator.token })).status, 200);
    assert.equal((await postJson(`${url}/call`, call, { token: other.token })).status, 403);
    assert.equal((await postJson(`${url}/call`, call)).status, 401);
  });

  test("operators' operations are open to this machine while there are none", async (t) => {
    const { url } = await startConfig(t);
    const response = await postJson(`${url}/call`, { operation: "sources/list" });
    const { output } = (await response.json()) as { output: { sources: { name: string }[] } };
    assert.deepEqual(
      output.sources.map(({ name }) => name),
      ["notes"],
    );
  });
});

describe("limits", () => {
  test("limits hold for each identity by itself, and say how long to wait", async (t) => {
    const [slow, few, free] = [newToken(), newToken(), newToken()];
    const { url } = await startConfig(t, {
      identities: [
        { id: "slow", tokenHash: slow.tokenHash, limits: { callsPerSecond: 0.1 } },
        { id: "few", tokenHash: few.tokenHash, limits: { batchSize: 2 } },
        { id: "free", tokenHash: free.tokenHash },
      ],
    });
    const call = (token: string) => postJson(`${url}/call`, LIST, { token });
    assert.equal((await call(slow.token)).status, 200);
    const refused = await call(slow.token);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "10");
    const { error } = (await refused.json()) as {
      error: { code: string; details: { retryAfterMs: number } };
    };
    assert.equal(error.code, "RATE_LIMITED");
    assert.ok(error.details.retryAfterMs > 9_000 && error.details.retryAfterMs <= 10_000);
    for (let each = 0; each < 5; each++) assert.equal((await call(free.token)).status, 200);
    const batch = await postJson(`${url}/batch`, { calls: [LIST, LIST, LIST] }, { token: few.token });
    assert.match(JSON.stringify(await batch.json()), /takes up to 2 calls/);
  });

  test("limits of calls at once let a batch through, which then takes its turns", async (t) => {
    const [own, other] = [newToken(), newToken()];
    const { url } = await startConfig(t, {
      limits: { concurrent: 2 },
      identities: [
        { id: "own", tokenHash: own.tokenHash, limits: { concurrent: 1 } },
        { id: "other", tokenHash: other.tokenHash },
      ],
    });
    const calls = Array.from({ length: 20 }, () => ({
      operation: "services/search",
      input: { query: "note" },
    }));
    for (const token of [own.token, other.token, undefined]) {
      const response = await postJson(`${url}/batch`, { calls }, token === undefined ? {} : { token });
      const { results } = (await response.json()) as { results: { error?: { code: string } }[] };
      assert.deepEqual([...new Set(results.map(({ error }) => error?.code))], [undefined]);
    }
  });

  test("limits of the size of results follow the identity", async (t) => {
    const { token, tokenHash } = newToken();
    const { url } = await startConfig(t, {
      identities: [{ id: "small", tokenHash, limits: { maxResultBytes: 5 } }],
    });
    assert.equal((await postJson(`${url}/call`, LIST, { token })).status, 413);
    assert.equal((await postJson(`${url}/call`, LIST)).status, 200);
  });
});

describe("the audit file", () => {
  test("the audit file tells who called what over the wire, with request and trace ids, and no secret", async (t) => {
    const { token, tokenHash } = newToken();
    const { url, directory, logged } = await startConfig(t, {
      identities: [{ id: "ada", tokenHash }],
      audit: { file: "audit.jsonl" },
    });
    const headers = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
    const answer = await fetch(`${url}/call`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ operation: "notes/add", input: { text: "confidential" } }),
    });
    const { requestId } = (await answer.json()) as { requestId: string };
    const path = join(directory, "audit.jsonl");
    let text = "";
    while (text === "") {
      await sleep(20);
      text = await readFile(path, "utf8");
    }
    const line = JSON.parse(text);
    assert.deepEqual(
      [line.principal, line.operation, line.outcome, line.requestId, line.traceparent],
      ["ada", "notes/add", "ok", requestId, headers.traceparent],
    );
    for (const secret of [token, "confidential"])
      assert.ok(!text.includes(secret) && !logged().includes(secret));
  });

  test("an audit file that cannot be written keeps the gateway from starting", async (t) => {
    await assert.rejects(
      startConfig(t, { audit: { file: "no/such/folder/audit.jsonl" } }),
      /audit\.file: .* cannot be written: there is no folder .*\. Make it/,
    );
  });
});
