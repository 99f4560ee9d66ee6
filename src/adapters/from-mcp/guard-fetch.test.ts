import assert from "node:assert/strict";
import { test } from "node:test";
import { OutboundError } from "../../outbound/index.ts";
import { Exchange } from "./exchange.ts";
import { guardFetch } from "./guard-fetch.ts";
import { UnaskedStream } from "./unasked-stream.ts";

const URL_OF_SERVER = "https://example.com/mcp";
const EVENTS = { headers: { "content-type": "text/event-stream; charset=utf-8" } };

/** A guarded fetch that gets what is given, for a request or for none. */
function guarded(answers: readonly (Response | Error)[], { forRequest = true } = {}) {
  let losses = 0;
  let next = 0;
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call" } as const;
  const exchange = new Exchange(request, { signal: undefined, asker: undefined });
  const outbound = {
    fetch: async () => {
      const answer = answers[next++];
      if (!(answer instanceof Response)) throw answer;
      return answer;
    },
  };
  const fetch = guardFetch(outbound, {
    unasked: new UnaskedStream(() => losses++),
    exchange: () => (forRequest ? exchange : undefined),
  });
  return { fetch, exchange, losses: () => losses };
}

async function waitOf(response: Response): Promise<number | undefined | "none"> {
  try {
    await guarded([response]).fetch(URL_OF_SERVER, { method: "POST" });
    return "none";
  } catch (error) {
    assert.ok(error instanceof OutboundError && error.kind === "rate-limited" && !error.mayHaveRun);
    assert.match(error.message, /^https:\/\/example\.com answered (429|503) and asks to wait\./);
    return error.retryAfterMs;
  }
}

test("a server that asks to wait is heard, in seconds or with a date, and never for longer than a day", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-15T12:00:00Z") });
  const answer = (status: number, wait?: string) =>
    new Response("busy", { status, headers: wait === undefined ? {} : { "retry-after": wait } });
  assert.equal(await waitOf(answer(429, "7")), 7_000);
  assert.equal(await waitOf(answer(429, "Sun, 15 Nov 2026 12:00:30 GMT")), 30_000);
  assert.equal(await waitOf(answer(429, "Sun, 15 Nov 2020 12:00:30 GMT")), 0);
  assert.equal(await waitOf(answer(429, "99999999")), 86_400_000);
  assert.equal(await waitOf(answer(429, "soon")), undefined);
  assert.equal(await waitOf(answer(429)), undefined);
  assert.equal(await waitOf(answer(503, "1")), 1_000);
  assert.equal(await waitOf(answer(503)), "none");
});

test("a redirect to another origin is refused by its name, also from http to https; the rest is left to the SDK", async () => {
  const answer = (location: string, status = 307) => new Response("", { status, headers: { location } });
  const elsewhere = "https://elsewhere.example/mcp?key=secret";
  for (const status of [301, 302, 303, 307, 308]) {
    const { fetch } = guarded([answer(elsewhere, status)]);
    await assert.rejects(fetch(URL_OF_SERVER, { method: "POST" }), {
      kind: "redirect-forbidden",
      happened:
        "https://example.com redirects to https://elsewhere.example, and redirects are followed within one origin only.",
    });
  }
  await assert.rejects(guarded([answer("data:,x")]).fetch(URL_OF_SERVER), /redirects to a data: address/);
  await assert.rejects(guarded([answer(URL_OF_SERVER)]).fetch("http://example.com/mcp"), {
    kind: "redirect-forbidden",
  });
  for (const location of ["/mcp/", `${URL_OF_SERVER}/`, "http://["]) {
    assert.equal((await guarded([answer(location)]).fetch(URL_OF_SERVER)).status, 307);
  }
});

test("a stream of events is noted, and one whose event is too large breaks with the reason", async () => {
  const small = guarded([new Response("data: 1\n\n", EVENTS)]);
  assert.equal(await (await small.fetch(URL_OF_SERVER)).text(), "data: 1\n\n");
  assert.deepEqual([small.exchange.isStream, small.exchange.fault], [true, undefined]);

  const chunk = new Uint8Array(1024 * 1024).fill(120);
  const large = guarded([new Response(ReadableStream.from(Array.from({ length: 20 }, () => chunk)), EVENTS)]);
  await assert.rejects((await large.fetch(URL_OF_SERVER)).text(), /larger than 16777216 bytes/);
  assert.equal(large.exchange.fault?.kind, "too-large");

  const plain = guarded([new Response("{}", { headers: { "content-type": "application/json" } })]);
  await plain.fetch(URL_OF_SERVER);
  assert.equal(plain.exchange.isStream, false);
});

test("the stream without a request is lost when it cannot be opened again", async () => {
  const get = { method: "GET" };
  const ok = () => new Response("", EVENTS);
  const forRequest = false;
  for (const failure of [new Response("", { status: 404 }), new Error("refused")]) {
    const { fetch, losses } = guarded([ok(), failure], { forRequest });
    await fetch(URL_OF_SERVER, get);
    await fetch(URL_OF_SERVER, get).catch(() => {});
    assert.equal(losses(), 1);
  }
  const never = guarded([new Response("", { status: 405 }), ok(), ok()], { forRequest });
  for (let time = 0; time < 3; time++) await never.fetch(URL_OF_SERVER, get);
  assert.equal(never.losses(), 0, "one that is not offered is no loss");
  const ended = guarded([ok(), new Error("aborted")], { forRequest });
  await ended.fetch(URL_OF_SERVER, get);
  await ended.fetch(URL_OF_SERVER, { ...get, signal: AbortSignal.abort() }).catch(() => {});
  assert.equal(ended.losses(), 0, "one that we end is no loss");
});
