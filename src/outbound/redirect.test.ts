import assert from "node:assert/strict";
import { test } from "node:test";
import { OutboundError } from "./outbound-error.ts";
import { toOutgoing } from "./outgoing.ts";
import { decideRedirect } from "./redirect.ts";

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

test("what is no redirect, or leads nowhere, is an answer like any other", async () => {
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

test("307 and 308 keep method and body", async () => {
  for (const status of [307, 308]) {
    const next = await redirected(status, "https://api.example:443/c", "POST");
    assert.equal(next?.method, "POST");
    assert.equal(next?.body, "body");
  }
  assert.match(await refused(307, "/c", "POST", new ReadableStream()), /a stream/);
});

test("302 and 303 turn a sent body into a GET without it", async () => {
  for (const status of [302, 303]) {
    const next = await redirected(status, "/c", "POST");
    assert.equal(next?.method, "GET");
    assert.equal(next?.body, undefined);
    assert.deepEqual(next?.headers[0], ["authorization", "Bearer secret"]);
    assert.ok(!next?.headers.some(([name]) => name === "content-type"));
  }
});

test("a moved place does not turn a POST into a GET that would look like success", async () => {
  assert.equal(
    await refused(301, "/c", "POST"),
    "https://api.example has moved, and a POST cannot follow it.",
  );
});

test("another origin is refused and named without path, query and user", async () => {
  const elsewhere = (origin: string) =>
    `https://api.example redirects to ${origin}, and redirects are followed within one origin only.`;
  assert.equal(await refused(302, "https://other.example/path?secret=1"), elsewhere("https://other.example"));
  assert.equal(await refused(302, "//user:secret@other.example/"), elsewhere("https://other.example"));
  assert.equal(await refused(307, "http://api.example/"), elsewhere("http://api.example"));
  assert.equal(await refused(307, "https://api.example:8443/"), elsewhere("https://api.example:8443"));
  assert.equal(await refused(302, "file:///secret"), elsewhere("a file: address"));
});

test("what is no address, or holds a user, is refused", async () => {
  assert.match(await refused(302, "https://"), /no address/);
  const error = await redirected(302, "https://u:p@api.example/").catch((error: unknown) => String(error));
  assert.match(String(error), /with a user or a password\. The operator/);
});
