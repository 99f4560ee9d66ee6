import assert from "node:assert/strict";
import { test } from "node:test";
import { OutboundError, type OutboundErrorKind } from "./outbound-error.ts";
import { type RequestDraft, toOutgoing } from "./outgoing.ts";

const url = "https://api.example/x?token=secret";

function refuses(draft: RequestDraft, kind: OutboundErrorKind, reason: RegExp): Promise<void> {
  return assert.rejects(toOutgoing(draft), (error) => {
    assert.ok(error instanceof OutboundError);
    assert.equal(error.kind, kind);
    assert.match(error.message, reason);
    assert.doesNotMatch(error.message, /secret/);
    assert.equal(error.mayHaveRun, false);
    return true;
  });
}

test("request headers are accepted in every form that fetch accepts", async () => {
  const expected = [
    ["accept", "a/b"],
    ["x-one", "1"],
    ["user-agent", "pinhole"],
  ];
  for (const headers of [
    new Headers({ Accept: "a/b", "X-One": "1" }),
    [["Accept", "a/b"] as const, ["X-One", "1"] as const],
    { Accept: "a/b", "X-One": "1", "X-None": undefined },
  ]) {
    assert.deepEqual((await toOutgoing({ url, headers })).headers, expected);
  }
});

test("headers of the connection are dropped, and a user agent is added", async () => {
  const headers = {
    Host: "other",
    "Content-Length": "5",
    "transfer-encoding": "chunked",
    Connection: "close",
    a: "b",
  };
  assert.deepEqual((await toOutgoing({ url, headers })).headers, [
    ["a", "b"],
    ["user-agent", "pinhole"],
  ]);
  const named = { "User-Agent": "me" };
  assert.deepEqual((await toOutgoing({ url, headers: named })).headers, [["user-agent", "me"]]);
});

test("a header with a line break is refused without quoting its value", async () => {
  for (const value of ["secret\r\nx: y", "secret\0", "secret ✓"]) {
    await refuses(
      { url, headers: { Authorization: value } },
      "invalid-request",
      /header authorization holds/,
    );
  }
  await refuses({ url, headers: { "secret\n": "x" } }, "invalid-request", /name that cannot be sent/);
});

test("methods become upper case, and CONNECT, TRACE and TRACK are refused", async () => {
  assert.equal((await toOutgoing({ url })).method, "GET");
  assert.equal((await toOutgoing({ url, method: "patch" })).method, "PATCH");
  for (const method of ["CONNECT", "trace", "GET /secret", ""]) {
    await refuses({ url, method }, "invalid-request", /method/);
  }
});

test("only http and https URLs without a user are accepted", async () => {
  await refuses({ url: "not an address with secret" }, "invalid-request", /not a valid URL/);
  await refuses({ url: "file:///secret" }, "address-forbidden", /begins with file:/);
  await refuses({ url: "ws://secret.example" }, "address-forbidden", /begins with ws:/);
  await refuses(
    { url: "https://me:secret@api.example/" },
    "invalid-request",
    /https:\/\/api\.example holds a user/,
  );
});

test("a body sets its content type unless the caller sets another", async () => {
  const typeOf = async (body: NonNullable<RequestDraft["body"]>, headers = {}) => {
    const outgoing = await toOutgoing({ url, method: "POST", body, headers });
    return outgoing.headers.find(([name]) => name === "content-type")?.[1];
  };
  assert.equal(await typeOf("a"), "text/plain;charset=UTF-8");
  assert.equal(await typeOf("{}", { "Content-Type": "application/json" }), "application/json");
  assert.equal(
    await typeOf(new URLSearchParams({ a: "b c" })),
    "application/x-www-form-urlencoded;charset=UTF-8",
  );
  assert.equal(await typeOf(new Blob(["a"], { type: "image/png" })), "image/png");
  assert.match((await typeOf(new FormData())) ?? "", /^multipart\/form-data; boundary=/);
  assert.equal(await typeOf(new Uint8Array(1)), undefined);
  assert.equal(await typeOf(new ArrayBuffer(1)), undefined);
  assert.equal(await typeOf(new DataView(new ArrayBuffer(1))), undefined);
  assert.equal(await typeOf(new ReadableStream()), undefined);
  assert.equal(await typeOf([new Uint8Array(1)]), undefined);
});

test("bodies other than streams can be sent again", async () => {
  const form = new URLSearchParams({ a: "b c" });
  const { body } = await toOutgoing({ url, method: "POST", body: form });
  assert.deepEqual(body, new TextEncoder().encode("a=b+c"));
  const view = new DataView(new TextEncoder().encode("abc").buffer, 1, 1);
  const viewed = await toOutgoing({ url, method: "POST", body: view });
  assert.deepEqual(viewed.body, new TextEncoder().encode("b"));
  const iterated = await toOutgoing({ url, method: "POST", body: [new Uint8Array(1)] });
  assert.ok(iterated.body instanceof ReadableStream);
});
