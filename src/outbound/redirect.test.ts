import assert from "node:assert/strict";
import { test } from "node:test";
import type { Incoming } from "./incoming.ts";
import { OutboundError } from "./outbound-error.ts";
import { toOutgoing } from "./outgoing.ts";
import { decideRedirect, perform } from "./redirect.ts";

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
