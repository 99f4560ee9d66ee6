import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { newToken } from "../../src/identity/index.ts";
import { awakeTime } from "../support/awake-time.ts";
import type { WireMessage } from "../support/mcp-wire.ts";
import {
  outcomeOf,
  ScriptedUpstream,
  sourceOf,
  startConfigured,
  type UpstreamOptions,
  until,
} from "../support/scripted-upstream/index.ts";

const ECHO = { word: "hi" };
const CAN_ELICIT = { capabilities: { elicitation: { form: {} } } };

async function startUpstream(t: TestContext, options: UpstreamOptions = {}): Promise<ScriptedUpstream> {
  const upstream = await new ScriptedUpstream(options).start();
  t.after(() => upstream.stop());
  return upstream;
}

/** Sets an environment variable for as long as the test runs. */
function setEnvironment(t: TestContext, name: string, value: string): void {
  process.env[name] = value;
  t.after(() => {
    delete process.env[name];
  });
}

describe("an upstream behind the gateway, over HTTP", () => {
  test("answers with data, with content, and with errors that say what to do", async (t) => {
    const upstream = await startUpstream(t);
    const { call } = await startConfigured(t, { sources: { up: sourceOf(upstream) } });
    assert.deepEqual((await call("up/echo", ECHO)).output, ECHO);
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    assert.deepEqual((await call("up/image")).content, [image]);

    const failed = await call("up/fails");
    assert.deepEqual([failed.error?.code, failed.error?.retryable], ["MCP_TOOL_ERROR", false]);
    assert.deepEqual(failed.error?.details, { content: [{ type: "text", text: "The disk is full." }] });
    const { error: large } = await call("up/big", { bytes: 10_000_000 });
    assert.equal(large?.code, "RESULT_TOO_LARGE");
    assert.match(large?.message ?? "", /Pass select/);
    const limited = await call("up/answers_status", { status: 429, headers: { "retry-after": "7" } });
    assert.deepEqual(
      [limited.error?.code, limited.error?.details],
      ["RATE_LIMITED", { retryAfterMs: 7_000 }],
    );
    const dead = await call("up/dies_midway");
    assert.deepEqual([dead.error?.code, dead.error?.retryable], ["UNAVAILABLE", false]);
    assert.equal(upstream.runs("dies_midway"), 1);
  });

  test("the gateway starts without an upstream that is down, and imports it when it comes up", async (t) => {
    const upstream = await startUpstream(t, { era: "legacy" });
    const other = await startUpstream(t);
    await upstream.stop();
    const started = awakeTime();
    const sources = { up: sourceOf(upstream), other: sourceOf(other) };
    const { call, gateway, logged } = await startConfigured(t, { sources });
    assert.ok(awakeTime() - started < 2_000);
    assert.equal((await call("up/echo", ECHO)).error?.code, "NOT_FOUND");
    assert.deepEqual((await call("other/echo", ECHO)).output, ECHO);
    assert.match(
      logged(),
      /"A source cannot be imported; it is tried again","source":"up","code":"TRANSPORT"/,
    );
    await upstream.start();
    await until(() => gateway.registry.snapshot().find("up/echo") !== undefined);
    assert.deepEqual((await call("up/echo", ECHO)).output, ECHO);
  });

  test("an upstream in a private network is not called unless the operator allows it", async (t) => {
    const upstream = await startUpstream(t);
    const sources = { up: sourceOf(upstream, { allowPrivate: false }) };
    const { call, logged } = await startConfigured(t, { sources });
    assert.equal((await call("up/echo", ECHO)).error?.code, "NOT_FOUND");
    assert.equal(upstream.connectionsOpened, 0);
    assert.match(logged(), /a loopback address/);
  });

  test("shows callers only what the operator opens", async (t) => {
    const upstream = await startUpstream(t);
    const sources = { up: sourceOf(upstream, { external: ["ech*"] }) };
    const { call } = await startConfigured(t, { sources });
    assert.deepEqual((await call("up/echo", ECHO)).output, ECHO);
    assert.equal((await call("up/text")).error?.code, "NOT_FOUND");
    assert.equal(upstream.runs("text"), 0);
  });
});

describe("the credentials of the gateway", () => {
  test("credentials of the gateway go to the upstream that they belong to, and those of callers go nowhere", async (t) => {
    const [up, other, open] = await Promise.all([1, 2, 3].map(() => startUpstream(t)));
    assert.ok(up && other && open);
    setEnvironment(t, "PINHOLE_TEST_UP", "up-secret-1");
    setEnvironment(t, "PINHOLE_TEST_OTHER", "other-secret-2");
    const { token, tokenHash } = newToken();
    const { call, logged } = await startConfigured(t, {
      identities: [{ id: "ada", tokenHash }],
      sources: {
        up: sourceOf(up, { token: { env: "PINHOLE_TEST_UP" } }),
        other: sourceOf(other, { token: { env: "PINHOLE_TEST_OTHER" } }),
        open: sourceOf(open),
      },
    });
    const answers: unknown[] = [];
    for (const name of ["up", "other", "open"]) {
      for (const tool of ["echo", "no_json", "dies_midway", "answers_status", "refuses_input"]) {
        answers.push(await call(`${name}/${tool}`, { ...ECHO, status: 401 }, { token }));
      }
    }
    for (const upstream of [up, other, open]) assert.equal(upstream.runs("echo"), 1);
    const sent = ({ seen }: ScriptedUpstream) => [
      ...new Set(seen.map(({ headers }) => headers.authorization)),
    ];
    assert.deepEqual(sent(up), ["Bearer up-secret-1"]);
    assert.deepEqual(sent(other), ["Bearer other-secret-2"]);
    assert.deepEqual(sent(open), [undefined]);
    const everything = JSON.stringify([up, other, open].map(({ seen }) => seen));
    assert.ok(!everything.includes(token), "a caller's token stays here");
    for (const secret of ["up-secret-1", "other-secret-2", token])
      assert.ok(!`${logged()}${JSON.stringify(answers)}`.includes(secret), "no secret is told");
  });

  test("an upstream that repeats the gateway's credentials in its errors does not reveal them to callers", async (t) => {
    const upstream = await startUpstream(t);
    setEnvironment(t, "PINHOLE_TEST_UP", "up-secret-1");
    const sources = { up: sourceOf(upstream, { token: { env: "PINHOLE_TEST_UP" } }) };
    const { call, logged, gateway } = await startConfigured(t, { sources });
    const answers: unknown[] = [];
    for (const status of [200, 400, 401, 403, 404, 418, 500]) {
      upstream.intercept = (_, exchange) => {
        const { authorization } = exchange.request.headers;
        if (status === 200) exchange.error(-32603, `${authorization} is not welcome`);
        else exchange.status(status, {}, `you sent ${authorization}`);
      };
      answers.push(await call("up/echo", ECHO));
    }
    await gateway.reload();
    assert.ok(!`${logged()}${JSON.stringify(answers)}`.includes("up-secret-1"));
  });

  test("credentials of the gateway do not follow a redirect to another origin", async (t) => {
    const seen: unknown[] = [];
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers);
      response.end();
    }).listen(0, "127.0.0.1");
    await once(elsewhere, "listening");
    t.after(() => elsewhere.close());
    const upstream = await startUpstream(t);
    setEnvironment(t, "PINHOLE_TEST_UP", "up-secret-1");
    const sources = { up: sourceOf(upstream, { token: { env: "PINHOLE_TEST_UP" } }) };
    const { call } = await startConfigured(t, { sources });
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/mcp`;
    for (const status of [302, 307]) {
      upstream.intercept = (_, exchange) => exchange.status(status, { location });
      const { error } = await call("up/echo", ECHO);
      assert.deepEqual([error?.code, error?.retryable], ["UNAVAILABLE", false]);
    }
    assert.deepEqual(seen, []);
  });
});

describe("the questions of an upstream, over HTTP", () => {
  const stateOf = ({ result }: WireMessage) => {
    assert.equal(result?.resultType, "input_required");
    return String(result.requestState);
  };

  test("questions of an upstream go to the client and their answers come back, round by round, and each round runs once", async (t) => {
    const upstream = await startUpstream(t);
    const { post } = await startConfigured(t, { sources: { up: sourceOf(upstream) } });
    const first = await post("up/asks_twice", {}, {}, CAN_ELICIT);
    assert.deepEqual(first.result?.inputRequests, {
      "1.q": {
        method: "elicitation/create",
        params: {
          mode: "form",
          message: "Which name?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        },
      },
    });
    const answer = (key: string, content: object) => ({ [key]: { action: "accept", content } });
    const asked = { requestState: stateOf(first), inputResponses: answer("1.q", { name: "Ada" }) };
    const second = await post("up/asks_twice", {}, asked, CAN_ELICIT);
    const again = { requestState: stateOf(second), inputResponses: answer("2.q", { colour: "blue" }) };
    const third = await post("up/asks_twice", {}, again, CAN_ELICIT);
    assert.deepEqual(outcomeOf(third).content, [{ type: "text", text: "Ada, blue" }]);
    assert.equal(upstream.runs("asks_twice"), 3);

    const declined = { requestState: stateOf(first), inputResponses: { "1.q": { action: "decline" } } };
    const refused = await post("up/asks_twice", {}, declined, CAN_ELICIT);
    assert.deepEqual(outcomeOf(refused).content, [{ type: "text", text: "decline" }]);
    const forged = { ...asked, requestState: `${asked.requestState}x` };
    assert.ok(
      (await post("up/asks_twice", {}, forged, CAN_ELICIT)).error,
      "a state that was changed is refused",
    );
  });

  test("end in a clear error where they cannot be passed on", async (t) => {
    const upstream = await startUpstream(t);
    const { call } = await startConfigured(t, { sources: { up: sourceOf(upstream) } });
    const { error: unasked } = await call("up/asks");
    assert.equal(unasked?.code, "INVALID_OPERATION_TYPE");
    assert.match(unasked?.message ?? "", /^up\/asks asks for input .* a client that supports elicitation\.$/);
    const { error: model } = await call("up/asks_model", {}, CAN_ELICIT);
    assert.equal(model?.code, "INVALID_OPERATION_TYPE");
    assert.match(
      model?.message ?? "",
      /^up\/asks_model asks for sampling\/createMessage while it runs, which/,
    );
  });
});
