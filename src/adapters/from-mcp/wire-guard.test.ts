import assert from "node:assert/strict";
import { test } from "node:test";
import { importUpstream } from "../../../test/support/scripted-upstream/index.ts";
import { Capabilities } from "../../core/index.ts";
import { OutboundError } from "../../outbound/index.ts";
import { PendingRequest } from "./transport.ts";
import { guardFetch, headerFetch, limitEvents, UnaskedStream } from "./wire-guard.ts";

const URL_OF_SERVER = "https://example.com/mcp";
const EVENTS = { headers: { "content-type": "text/event-stream; charset=utf-8" } };

/** A guarded fetch that gets what is given, for a request or for none. */
function guarded(answers: readonly (Response | Error)[], { forRequest = true } = {}) {
  let losses = 0;
  let next = 0;
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call" } as const;
  const pending = new PendingRequest(request, { signal: undefined, asker: undefined });
  const outbound = {
    fetch: async () => {
      const answer = answers[next++];
      if (!(answer instanceof Response)) throw answer;
      return answer;
    },
  };
  const fetch = guardFetch(outbound, {
    unasked: new UnaskedStream(() => losses++),
    request: () => (forRequest ? pending : undefined),
  });
  return { fetch, pending, losses: () => losses };
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

test("a server that asks to wait is heard, in seconds or with a date, and never for longer than ten minutes", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-15T12:00:00Z") });
  const answer = (status: number, wait?: string) =>
    new Response("busy", { status, headers: wait === undefined ? {} : { "retry-after": wait } });
  assert.equal(await waitOf(answer(429, "7")), 7_000);
  assert.equal(await waitOf(answer(429, "Sun, 15 Nov 2026 12:00:30 GMT")), 30_000);
  assert.equal(await waitOf(answer(429, "Sun, 15 Nov 2020 12:00:30 GMT")), 0);
  assert.equal(await waitOf(answer(429, "99999999")), 600_000);
  assert.equal(await waitOf(answer(429, "soon")), undefined);
  assert.equal(await waitOf(answer(429)), undefined);
  assert.equal(await waitOf(answer(503, "1")), 1_000);
  assert.equal(await waitOf(answer(503)), "none");
});

test("a redirect to another origin is refused with its name, also from http to https; other redirects are left to the SDK", async () => {
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

test("a response is known to be a stream, and one with too large an event breaks with the reason", async () => {
  const small = guarded([new Response("data: 1\n\n", EVENTS)]);
  assert.equal(await (await small.fetch(URL_OF_SERVER)).text(), "data: 1\n\n");
  assert.deepEqual([small.pending.isStream, small.pending.fault], [true, undefined]);

  const chunk = new Uint8Array(1024 * 1024).fill(120);
  const large = guarded([new Response(ReadableStream.from(Array.from({ length: 20 }, () => chunk)), EVENTS)]);
  await assert.rejects((await large.fetch(URL_OF_SERVER)).text(), /larger than 16777216 bytes/);
  assert.equal(large.pending.fault?.kind, "too-large");

  const plain = guarded([new Response("{}", { headers: { "content-type": "application/json" } })]);
  await plain.fetch(URL_OF_SERVER);
  assert.equal(plain.pending.isStream, false);
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
  assert.equal(never.losses(), 0, "a stream that is not offered is not lost");
  const ended = guarded([ok(), new Error("aborted")], { forRequest });
  await ended.fetch(URL_OF_SERVER, get);
  await ended.fetch(URL_OF_SERVER, { ...get, signal: AbortSignal.abort() }).catch(() => {});
  assert.equal(ended.losses(), 0, "a stream that we end is not lost");
});

test("a stream that never was open cannot be lost, one that was open can", () => {
  let losses = 0;
  const stream = new UnaskedStream(() => losses++);
  stream.failed();
  assert.equal(losses, 0);
  stream.opened();
  stream.failed();
  assert.equal(losses, 1);
});

test("the stream of unsolicited messages settles once it is open or cannot be opened", async () => {
  for (const end of ["opened", "failed"] as const) {
    let isKnown = false;
    const stream = new UnaskedStream(() => {});
    void stream.settled.then(() => {
      isKnown = true;
    });
    await Promise.resolve();
    assert.equal(isKnown, false);
    stream[end]();
    await stream.settled;
    assert.equal(isKnown, true);
  }
});

test("a stream that keeps ending is opened less and less often, and soon again after one that lasted", (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  t.mock.method(performance, "now", () => Date.now());
  const stream = new UnaskedStream(() => {});
  const pauses = Array.from({ length: 12 }, () => {
    stream.opened();
    t.mock.timers.tick(5_000);
    return stream.pause();
  });
  assert.deepEqual(pauses.slice(0, 4), [250, 500, 1_000, 2_000]);
  assert.equal(pauses.at(-1), 60_000);
  stream.opened();
  t.mock.timers.tick(10_000);
  assert.equal(stream.pause(), 250);
});

const tooLarge = () => new Error("too large");

async function pass(chunks: readonly string[], limit: number): Promise<string> {
  const source = ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
  return new Response(
    source.pipeThrough(limitEvents({ maxBytes: limit, tooLarge, tooMany: () => undefined })),
  ).text();
}

test("events pass unchanged, however they are split and however many there are", async () => {
  const text = "data: 1234\n\n: comment\n\ndata: 5\r\n\r\ndata: 6\n\n".repeat(20);
  for (const size of [1, 2, 3, 7, 1000]) {
    const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    assert.equal(await pass(chunks, 30), text, `in pieces of ${size}`);
  }
});

test("an event above the limit breaks the stream before its end, in one line or many", async () => {
  for (const text of [`data: ${"x".repeat(50)}`, "data: x\n".repeat(10)]) {
    await assert.rejects(pass([text], 30), /too large/);
    await assert.rejects(pass([...text, "\n\n"], 30), /too large/);
  }
});

test("only bytes after the last empty line count as one event", async () => {
  const before = `data: ${"x".repeat(20)}\n\n`;
  assert.equal(await pass([before + before, "data: y"], 30), `${before}${before}data: y`);
  await assert.rejects(pass([`${before}data: ${"y".repeat(20)}`, "y".repeat(20)], 30), /too large/);
});

test("each event is counted before it is passed on, and too many break the stream", async () => {
  const seen: number[] = [];
  const tooMany = (bytes: number) => (seen.push(bytes) > 3 ? new Error("too many") : undefined);
  const bytes = new TextEncoder().encode("data: 1\n\n".repeat(5));
  const source = ReadableStream.from([bytes.slice(0, 4), bytes.slice(4)]);
  const passed = new Response(source.pipeThrough(limitEvents({ maxBytes: 30, tooLarge, tooMany })));
  await assert.rejects(passed.text(), /too many/);
  assert.deepEqual(seen, [8, 9, 9, 9]);
});

test("a server gets the credential unchanged in the configured header of every request", async (t) => {
  for (const era of ["modern", "legacy"] as const) {
    const { upstream, call } = await importUpstream(
      t,
      { era },
      {
        token: "key-for-discovery",
        tokenHeader: "X-Api-Key",
        capabilities: () => new Capabilities({ token: "key-of-the-caller" }),
      },
    );
    assert.equal((await call("text")).error, undefined);
    const keys = new Set(upstream.seen.map(({ headers }) => headers["x-api-key"]));
    assert.deepEqual(keys, new Set(["key-for-discovery", "key-of-the-caller"]), era);
    assert.ok(upstream.seen.every(({ headers }) => headers.authorization === undefined));
  }
});

test("only the server of the source gets the credential in the configured header", async () => {
  const sent: [string, string | null][] = [];
  const outbound = {
    fetch: async (url: string | URL, init: RequestInit = {}) => {
      sent.push([new URL(url).origin, new Headers(init.headers).get("x-api-key")]);
      return new Response();
    },
  };
  const { fetch } = headerFetch(
    outbound,
    { name: "X-Api-Key", value: "secret" },
    new URL("https://a.example/mcp"),
  );
  await fetch("https://a.example/other");
  await fetch("https://b.example/mcp");
  assert.deepEqual(sent, [
    ["https://a.example", "secret"],
    ["https://b.example", null],
  ]);
});
