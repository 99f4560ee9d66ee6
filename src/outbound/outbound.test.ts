import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { begin, failsWith, serve } from "../../test/support/outbound-service.ts";
import type { Incoming } from "./incoming.ts";
import { createOutbound, decideRedirect, perform } from "./outbound.ts";
import { OutboundError } from "./outbound-error.ts";
import { toOutgoing } from "./outgoing.ts";

test("a request to a closed port is refused", async (t) => {
  const { outbound, server, url } = await serve(t, () => {});
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(outbound.fetch(`${url}/?secret`), failsWith("refused", false));
});

test("an https request to a service without TLS is refused", async (t) => {
  const { outbound, url } = await serve(t, () => {});
  await assert.rejects(outbound.fetch(url.replace("http:", "https:")), failsWith("refused", false));
});

test("closing a client ends running requests, refuses new ones and leaves no socket", async (t) => {
  const { outbound, server, url } = await serve(t, (request, response) => {
    if (request.url === "/events") begin(response, "text/event-stream", "data: 1\n\n");
  });
  const events = await outbound.fetch(`${url}/events`);
  const text = assert.rejects(events.text(), failsWith("broken"));
  const requested = once(server, "request");
  const running = assert.rejects(outbound.fetch(url), failsWith("broken"));
  await requested;
  assert.deepEqual(outbound.stats(), { sockets: 2 });
  await outbound.close();
  await text;
  await running;
  await outbound.close();
  assert.deepEqual(outbound.stats(), { sockets: 0 });
  await assert.rejects(outbound.fetch(url), failsWith("refused", false));
  await assert.rejects(
    outbound.send({ method: "GET", url, repeatable: true, deadline: performance.now() + 100 }),
    failsWith("refused", false),
  );
});

test("a connection that is not made in time was not used, and closing abandons it", async (t) => {
  const lookup = () => {};
  const { outbound } = await serve(t, () => {}, { lookup, connectTimeoutMs: 20 });
  await assert.rejects(outbound.fetch("http://slow.example/"), failsWith("timeout", false));
  const patient = createOutbound({ lookup, allowPrivate: true });
  const waiting = assert.rejects(patient.fetch("http://slow.example/"), failsWith("refused", false));
  await new Promise(setImmediate);
  assert.deepEqual(patient.stats(), { sockets: 1 });
  await patient.close();
  await waiting;
  await new Promise(setImmediate);
  assert.deepEqual(patient.stats(), { sockets: 0 });
});

test("send waits and retries until its caller goes away", async (t) => {
  const statuses = [503, 200, 503];
  const aborting = new AbortController();
  const { outbound, url } = await serve(
    t,
    (_, response) => void response.writeHead(statuses.shift() ?? 500).end(),
    {
      // Read just before the wait.
      random: () => {
        if (statuses.length === 0) setImmediate(() => aborting.abort());
        return 0;
      },
    },
  );
  const request = { method: "GET", url, repeatable: true };
  assert.equal((await outbound.send(request)).status, 200);
  const waiting = outbound.send({ ...request, signal: aborting.signal });
  await assert.rejects(waiting, failsWith("aborted", false));
});

const HERE = "https://api.example/a/b?token=secret";

async function redirected(
  status: number,
  location: string | undefined,
  method = "GET",
  body?: ReadableStream,
) {
  const request = await toOutgoing({
    method,
    url: HERE,
    headers: { authorization: "Bearer secret", "content-type": "text/x" },
    body: body ?? (method === "GET" || method === "HEAD" ? null : "body"),
  });
  return decideRedirect(request, {
    status,
    statusText: "",
    headers: location === undefined ? {} : { location },
  });
}

async function refused(...given: Parameters<typeof redirected>): Promise<string> {
  const error = await redirected(...given).then(
    () => assert.fail("it was followed"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof OutboundError && error.kind === "redirect-forbidden");
  assert.doesNotMatch(error.message, /secret|user|\/a\/b|path/);
  return error.happened;
}

test("a response without a redirect status or a Location is an ordinary response", async () => {
  assert.equal(await redirected(200, "/x"), undefined);
  assert.equal(await redirected(300, "/x"), undefined);
  assert.equal(await redirected(304, "/x"), undefined);
  assert.equal(await redirected(302, undefined), undefined);
});

test("GET and HEAD follow every redirect within the origin and keep their headers", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    for (const method of ["GET", "HEAD"]) {
      const next = await redirected(status, "../c?d=1", method);
      assert.equal(next?.url.href, "https://api.example/c?d=1");
      assert.equal(next?.method, method);
      assert.ok(next?.headers.some(([name]) => name === "authorization"));
    }
  }
});

test("redirects 307 and 308 keep method and body", async () => {
  for (const status of [307, 308]) {
    const next = await redirected(status, "https://api.example:443/c", "POST");
    assert.equal(next?.method, "POST");
    assert.equal(next?.body, "body");
  }
  assert.match(await refused(307, "/c", "POST", new ReadableStream()), /a stream/);
});

test("redirects 302 and 303 turn a POST into a GET without a body", async () => {
  for (const status of [302, 303]) {
    const next = await redirected(status, "/c", "POST");
    assert.equal(next?.method, "GET");
    assert.equal(next?.body, undefined);
    assert.deepEqual(next?.headers[0], ["authorization", "Bearer secret"]);
    assert.ok(!next?.headers.some(([name]) => name === "content-type"));
  }
});

test("a 301 does not turn a POST into a GET that would look like success", async () => {
  assert.equal(
    await refused(301, "/c", "POST"),
    "https://api.example has moved, and a POST cannot follow it.",
  );
});

test("a redirect to another origin is refused, and the error names only the origin", async () => {
  const elsewhere = (origin: string) =>
    `https://api.example redirects to ${origin}, and redirects are followed within one origin only.`;
  assert.equal(await refused(302, "https://other.example/path?secret=1"), elsewhere("https://other.example"));
  assert.equal(await refused(302, "//user:secret@other.example/"), elsewhere("https://other.example"));
  assert.equal(await refused(307, "http://api.example/"), elsewhere("http://api.example"));
  assert.equal(await refused(307, "https://api.example:8443/"), elsewhere("https://api.example:8443"));
  assert.equal(await refused(302, "file:///secret"), elsewhere("a file: address"));
});

test("a redirect to an invalid URL, or one with a user, is refused", async () => {
  assert.match(await refused(302, "https://"), /invalid URL/);
  const error = await redirected(302, "https://u:p@api.example/").catch((error: unknown) => String(error));
  assert.match(String(error), /with a user or a password\. The operator/);
});

/** The failure of a request that is redirected once and then fails. */
async function failureAfter(method: string, status: number): Promise<OutboundError> {
  const request = await toOutgoing({ method, url: "https://api.example/x" });
  const redirect: Incoming = { status, statusText: "", headers: { location: "/y" }, body: undefined };
  let sent = 0;
  const exchange = async () => {
    if (sent++ === 0) return redirect;
    throw new OutboundError("refused", "The connection was refused.");
  };
  return perform(request, "follow", { exchange, maxRedirects: 3 }).then(
    () => assert.fail("It went well."),
    (error) => error,
  );
}

test("a POST that was redirected to a GET has run, even if the GET fails", async () => {
  for (const [method, status, mayHaveRun] of [
    ["POST", 303, true],
    ["POST", 302, true],
    ["POST", 307, false],
    ["POST", 308, false],
    ["GET", 303, false],
  ] as const) {
    const error = await failureAfter(method, status);
    assert.deepEqual(
      [error.kind, error.mayHaveRun, error.happened],
      ["refused", mayHaveRun, "The connection was refused."],
    );
  }
});
