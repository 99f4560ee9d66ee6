import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Answer,
  bring,
  bringAll,
  contextWith,
  OK,
  scripted,
} from "../../../test/support/scripted-api.ts";
import { CallError } from "../../core/index.ts";

async function call(
  operation: object,
  answer: Answer,
  secrets: Readonly<Record<string, string>> = {},
  rest: object = {},
) {
  const outbound = scripted(answer);
  const { handler } = await bring(operation, { outbound }, rest);
  const output = handler.kind === "once" ? await handler.run({}, contextWith(secrets)) : undefined;
  return { output, asked: outbound.asked };
}

async function failure(operation: object, answer: Answer): Promise<CallError> {
  const thrown = await call(operation, answer).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof CallError);
  return thrown;
}

describe("answers", () => {
  const answering = async (body: string | Uint8Array<ArrayBuffer> | null, type: string, status = 200) =>
    (
      await call(
        {},
        () => new Response(body, { status, headers: type === "" ? {} : { "content-type": type } }),
      )
    ).output;

  test("answers whose objects have tens of thousands of different keys are not read", async () => {
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 10_050 }, (_, n) => [`k${n}`, 0])));
    const json = { "content-type": "application/json" };
    const { code, message } = await failure({}, () => new Response(body, { headers: json }));
    assert.equal(code, "OUTPUT_INVALID");
    assert.match(message, /more than 10000 different keys/);
    const refused = await failure({}, () => new Response(body, { status: 400, headers: json }));
    assert.equal(refused.code, "HTTP_400");
  });

  test("an output is data, text, content or nothing, by the content type of the answer", async () => {
    assert.deepEqual(await answering('{"a":1}', "application/problem+json"), { a: 1 });
    assert.equal(await answering("1", "text/plain"), "1");
    assert.equal(await answering(new Uint8Array([0xe9]), "text/plain; charset=latin1"), "é");
    assert.equal(await answering(null, "application/json", 204), null);
    assert.equal(await answering("", "application/json"), null);
    assert.deepEqual(await answering(new Uint8Array([1]), "image/png"), {
      content: [{ type: "image", data: "AQ==", mimeType: "image/png" }],
    });
    assert.deepEqual(await answering(new Uint8Array([1]), "application/pdf"), {
      content: [
        {
          type: "resource",
          resource: { uri: "pinhole://api/do", mimeType: "application/pdf", blob: "AQ==" },
        },
      ],
    });
    assert.equal(await answering(new TextEncoder().encode("{}"), ""), "{}");
    assert.equal(await answering('{"a":1}\n{"a":2}\n', "application/x-ndjson"), '{"a":1}\n{"a":2}\n');
    assert.equal(await answering("raw", "application/vnd.api.raw; charset=utf-8"), "raw");
    for (const byte of [0, 0xff]) {
      const output = await answering(new Uint8Array([0x25, byte]), "application/vnd.ms-excel;charset=UTF-8");
      assert.equal(typeof output, "object");
    }
    assert.equal(typeof (await answering("%PDF", "application/pdf;charset=UTF-8")), "object");
    await assert.rejects(answering("{", "application/json"), { code: "OUTPUT_INVALID" });
  });

  test("an answer 304 is an error that says what to do", async () => {
    const error = await failure({}, () => new Response(null, { status: 304 }));
    assert.match(error.message, /answered 304\. Nothing has changed since the caller's version/);
  });

  test("unsuccessful answers become HTTP_<n> with the parsed body and advice", async () => {
    const error = await failure({}, () => Response.json({ message: "No such thing" }, { status: 404 }));
    assert.deepEqual(error.toJSON(), {
      code: "HTTP_404",
      message: "api/do: the service answered 404: No such thing. Check the ids in the input.",
      retryable: false,
      details: { status: 404, body: { message: "No such thing" } },
    });
    const busy = await failure(
      {},
      () =>
        new Response("Busy", { status: 429, headers: { "retry-after": "7", "content-type": "text/plain" } }),
    );
    assert.deepEqual(
      [busy.code, busy.retryable, busy.details],
      ["RATE_LIMITED", true, { status: 429, body: "Busy", retryAfterMs: 7_000 }],
    );
    assert.match(busy.message, /Wait 7 s/);
    const unsaid = await failure({}, () => new Response("Busy", { status: 429 }));
    assert.deepEqual([unsaid.code, unsaid.retryable], ["HTTP_429", true]);
    const broken = await failure(
      {},
      () => new Response("<html>", { status: 500, headers: { "content-type": "text/html" } }),
    );
    assert.match(broken.message, /answered 500\. The call may have taken effect/);
    const large = await failure({}, () => Response.json("x".repeat(100_000), { status: 400 }));
    assert.ok(JSON.stringify(large.details).length < 11_000);
  });

  test("requests are repeated if that does no harm", async () => {
    const repeatable = async (method: string, operation: object = {}, input: object = {}) => {
      const outbound = scripted(() => Response.json(1));
      const { set } = await bringAll({ "/a": { [method]: { responses: OK, ...operation } } }, { outbound });
      const handler = set.registrations[0]?.handler;
      assert.ok(handler?.kind === "once");
      await handler.run(input, contextWith());
      return outbound.asked[0]?.repeatable;
    };
    assert.deepEqual(
      await Promise.all(["get", "put", "delete", "post", "patch"].map((method) => repeatable(method))),
      [true, true, true, false, false],
    );
    const parameters = [{ name: "Idempotency-Key", in: "header", schema: {} }];
    assert.equal(await repeatable("post", { parameters }, { "Idempotency-Key": "k" }), true);
    assert.equal(await repeatable("post", { parameters }), false);
  });
});

describe("credentials", () => {
  const schemes = {
    bearer: { type: "http", scheme: "Bearer" },
    basic: { type: "http", scheme: "basic" },
    header: { type: "apiKey", in: "header", name: "X-Key" },
    query: { type: "apiKey", in: "query", name: "key" },
    cookie: { type: "apiKey", in: "cookie", name: "sid" },
    oauth: {
      type: "oauth2",
      flows: { clientCredentials: { tokenUrl: "https://auth.example.com/token", scopes: {} } },
    },
    mutual: { type: "mutualTLS" },
  };
  const document = { components: { securitySchemes: schemes } };
  const sent = async (security: unknown, secrets: Readonly<Record<string, string>>) => {
    const { asked } = await call({ security }, () => Response.json(1), secrets, document);
    const { url, headers } = asked[0] ?? {};
    const { authorization, cookie, "x-key": key } = headers as Record<string, string>;
    return { query: new URL(String(url)).search, authorization, cookie, key };
  };
  const nothing = { query: "", authorization: undefined, cookie: undefined, key: undefined };

  test("credentials go where the document says", async () => {
    assert.deepEqual(await sent([{ bearer: [] }], { token: "t" }), { ...nothing, authorization: "Bearer t" });
    assert.deepEqual(await sent([{ basic: [] }], { username: "u", password: "p" }), {
      ...nothing,
      authorization: "Basic dTpw",
    });
    assert.deepEqual(await sent([{ header: [] }], { apiKey: "k" }), { ...nothing, key: "k" });
    assert.deepEqual(await sent([{ query: [] }], { apiKey: "k&" }), { ...nothing, query: "?key=k%26" });
    assert.deepEqual(await sent([{ cookie: [] }], { apiKey: "k" }), { ...nothing, cookie: "sid=k" });
    assert.deepEqual(await sent([{ oauth: [] }], { token: "t" }), { ...nothing, authorization: "Bearer t" });
  });

  test("credentials are those of the first set of schemes that they suffice for, all of it together", async () => {
    const both = await sent([{ mutual: [] }, { basic: [] }, { header: [], bearer: [] }], {
      apiKey: "k",
      token: "t",
    });
    assert.deepEqual(both, { ...nothing, key: "k", authorization: "Bearer t" });
    assert.deepEqual(await sent([{}, { bearer: [] }], { token: "t" }), {
      ...nothing,
      authorization: "Bearer t",
    });
    assert.deepEqual(await sent([{ basic: [] }], { token: "t" }), nothing);
  });

  test("an API key is the one of the scheme if there is one, otherwise the common one", async () => {
    const all = [{ header: [], query: [], cookie: [] }];
    const keys = { "apiKey:header": "h", "apiKey:query": "q" };
    assert.deepEqual(await sent(all, { ...keys, apiKey: "k" }), {
      ...nothing,
      key: "h",
      query: "?key=q",
      cookie: "sid=k",
    });
    // A set of schemes is used as a whole or not at all.
    assert.deepEqual(await sent(all, keys), nothing);
    assert.deepEqual(await sent([...all, { query: [] }], keys), { ...nothing, query: "?key=q" });
  });

  test("an API key for a scheme that the document does not have is reported", async () => {
    const { warnings } = await bringAll(
      { "/a": { get: { responses: OK } } },
      { apiKeys: ["header", "haeder"] },
      document,
    );
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ["apiKeys.haeder is not an API key of the document; it has header, query, cookie"],
    );
  });

  test("credentials do not go to an address without TLS in the document, unless the operator allows it", async () => {
    const sending = async (secrets: Readonly<Record<string, string>>, allowClear?: boolean) => {
      const outbound = scripted(() => Response.json(1));
      const options = { outbound, ...(allowClear !== undefined && { allowClear }) };
      const { handler } = await bring({}, options, { servers: [{ url: "http://api.example.com" }] });
      assert.ok(handler.kind === "once");
      await handler.run({}, contextWith(secrets));
      return outbound.asked.length;
    };
    await assert.rejects(sending({ token: "t" }), {
      code: "UNAVAILABLE",
      retryable: false,
      message: /in the clear.*set server to an https:/,
    });
    assert.equal(await sending({}), 1);
    assert.equal(await sending({ token: "t" }, true), 1);
  });

  test("a token is sent as a bearer token if the document is silent, and not at all if it wants none", async () => {
    assert.deepEqual(await sent(undefined, { token: "t" }), { ...nothing, authorization: "Bearer t" });
    assert.deepEqual(await sent([], { token: "t" }), nothing);
    assert.deepEqual(await sent(undefined, {}), nothing);
  });

  test("OAuth 2 tokens are fetched once, kept, and renewed when they are refused", async () => {
    let tokens = 0;
    let refuse = false;
    const outbound = scripted(({ url, headers }) => {
      if (String(url).startsWith("https://auth"))
        return Response.json({ access_token: `t${++tokens}`, expires_in: 3_600 });
      const isOld = (headers as Record<string, string>).authorization !== "Bearer t2";
      return refuse && isOld ? new Response(null, { status: 401 }) : Response.json(tokens);
    });
    const { handler } = await bring({ security: [{ oauth: ["read"] }] }, { outbound }, document);
    assert.ok(handler.kind === "once");
    const context = contextWith({ clientId: "id", clientSecret: "s:s" });
    await Promise.all([handler.run({}, context), handler.run({}, context)]);
    assert.equal(tokens, 1);
    const [asked] = outbound.asked;
    assert.equal(Object(asked?.headers).authorization, `Basic ${btoa("id:s%3As")}`);
    assert.equal(asked?.body, "grant_type=client_credentials&scope=read");
    refuse = true;
    assert.equal(await handler.run({}, context), 2);
  });

  test("a refusal by the token service is reported without the secret", async () => {
    const answer: Answer = ({ url }) =>
      new Response(null, { status: String(url).startsWith("https://auth") ? 401 : 200 });
    await assert.rejects(
      call({ security: [{ oauth: [] }] }, answer, { clientId: "id", clientSecret: "hidden" }, document),
      (error) => {
        assert.ok(error instanceof CallError);
        assert.equal(error.code, "UNAUTHORIZED_UPSTREAM");
        return !JSON.stringify(error).includes("hidden");
      },
    );
  });
});
