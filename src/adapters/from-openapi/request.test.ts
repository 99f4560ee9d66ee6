import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CallError } from "../../core/index.ts";
import { readDocument } from "../../formats/index.ts";
import { headersOf, type RequestParts, toRequest, urlOf } from "./request.ts";

const SERVER = "https://api.example.com/v1/";

function request(operation: object, input: object, path = "/things"): RequestParts {
  const root = { openapi: "3.1.0", paths: { [path]: { post: { responses: {}, ...operation } } } };
  const [read] = readDocument({ root }).operations;
  assert.ok(read);
  return toRequest(read, input, { server: SERVER, headers: { "X-Default": "yes" } });
}

function address(parameter: object, value: unknown): string {
  const { in: place } = parameter as { in: string };
  const path = place === "path" ? "/things/{p}/end" : "/things";
  const url = urlOf(request({ parameters: [{ name: "p", schema: {}, ...parameter }] }, { p: value }, path));
  return url.slice("https://api.example.com/v1".length);
}

const LIST = ["a b", "c,d"];
const RECORD = { R: 100, G: "x&y" };

describe("path parameters", () => {
  const styles: readonly [style: string, explode: boolean, plain: string, list: string, record: string][] = [
    ["simple", false, "a%2Fb", "a%20b,c%2Cd", "R,100,G,x%26y"],
    ["simple", true, "a%2Fb", "a%20b,c%2Cd", "R=100,G=x%26y"],
    ["label", false, ".a%2Fb", ".a%20b,c%2Cd", ".R,100,G,x%26y"],
    ["label", true, ".a%2Fb", ".a%20b.c%2Cd", ".R=100.G=x%26y"],
    ["matrix", false, ";p=a%2Fb", ";p=a%20b,c%2Cd", ";p=R,100,G,x%26y"],
    ["matrix", true, ";p=a%2Fb", ";p=a%20b;p=c%2Cd", ";R=100;G=x%26y"],
  ];
  for (const [style, explode, plain, list, record] of styles) {
    test(`path parameters are written in the style ${style}${explode ? ", exploded" : ""}`, () => {
      const parameter = { in: "path", required: true, style, explode };
      const written = ["a/b", LIST, RECORD].map((value) => address(parameter, value));
      assert.deepEqual(
        written,
        [plain, list, record].map((text) => `/things/${text}/end`),
      );
    });
  }

  test("path parameters leave out null members of a record", () => {
    const parameter = { in: "path", required: true, explode: true };
    assert.equal(address(parameter, { a: 1, b: null }), "/things/a=1/end");
    assert.throws(() => address(parameter, { b: null }), /must not be empty/);
  });

  test("path parameters cannot lead to another path, be empty or be missing", () => {
    for (const value of ["..", ".", "../x", "a/../../b", "a\\..", "x/.", "..;/x", "", null, undefined, []]) {
      assert.throws(
        () => address({ in: "path", required: true }, value),
        (error) =>
          error instanceof CallError &&
          error.code === "INVALID_INPUT" &&
          /Nothing was sent/.test(error.message),
        String(value),
      );
    }
    assert.equal(address({ in: "path", required: true }, "a/b..c/...d"), "/things/a%2Fb..c%2F...d/end");
    assert.equal(address({ in: "path", required: true }, "a?b#c"), "/things/a%3Fb%23c/end");
    assert.equal(address({ in: "path", required: true }, "\ud800"), "/things/%EF%BF%BD/end");
  });
});

describe("query parameters", () => {
  const query = (parameter: object, value: unknown) =>
    address({ in: "query", ...parameter }, value).slice("/things".length);

  test("query parameters are written in their style", () => {
    assert.equal(query({}, "a&b=c d"), "?p=a%26b%3Dc%20d");
    assert.equal(query({}, LIST), "?p=a%20b&p=c%2Cd");
    assert.equal(query({}, RECORD), "?R=100&G=x%26y");
    assert.equal(query({ explode: false }, LIST), "?p=a%20b,c%2Cd");
    assert.equal(query({ explode: false }, RECORD), "?p=R,100,G,x%26y");
    assert.equal(query({ style: "spaceDelimited", explode: false }, ["a", "b"]), "?p=a%20b");
    assert.equal(query({ style: "pipeDelimited", explode: false }, ["a", "b"]), "?p=a%7Cb");
    assert.equal(
      query({ style: "deepObject" }, { a: { b: [1, 2] }, c: null }),
      "?p%5Ba%5D%5Bb%5D%5B0%5D=1&p%5Ba%5D%5Bb%5D%5B1%5D=2",
    );
    assert.equal(
      query({ schema: undefined, content: { "application/json": {} } }, { a: 1 }),
      "?p=%7B%22a%22%3A1%7D",
    );
    assert.equal(
      query({ schema: undefined, content: { "text/plain": { schema: { type: "string" } } } }, "a b"),
      "?p=a%20b",
    );
    assert.equal(query({ allowReserved: true }, "/a?b=c#d&e"), "?p=/a?b=c%23d%26e");
  });

  test("missing, null and empty query parameters are left out", () => {
    for (const value of [undefined, null, [], {}, { a: null }]) {
      assert.equal(query({}, value), "");
      assert.equal(query({ explode: false }, value), "");
    }
    assert.equal(query({}, false), "?p=false");
    assert.equal(query({}, ""), "?p=");
  });

  test("query parameters are added to those of the path, and a fragment is not sent", () => {
    const parameters = [{ name: "p", in: "query", schema: {} }];
    assert.equal(
      urlOf(request({ parameters }, { p: 1 }, "/?Action=Do")),
      "https://api.example.com/v1/?Action=Do&p=1",
    );
    assert.equal(urlOf(request({ parameters }, { p: 1 }, "/#Action=Do")), "https://api.example.com/v1/?p=1");
  });
});

test("headers and cookies go where they belong, defaults can be overridden", () => {
  const parameters = [
    { name: "X-List", in: "header", schema: {} },
    { name: "X-Default", in: "header", schema: {} },
    { name: "a", in: "cookie", schema: {} },
    { name: "b", in: "cookie", schema: {} },
  ];
  const parts = request({ parameters }, { "X-List": ["a", 1], "X-Default": "no", a: "1;2", b: 2 });
  assert.deepEqual(headersOf(parts), {
    accept: "application/json, */*;q=0.5",
    "x-default": "no",
    "x-list": "a,1",
    cookie: "a=1%3B2; b=2",
  });
});

test("an empty header is left out, and one that cannot be sent is named", () => {
  const parameters = [{ name: "X-P", in: "header", explode: true, schema: {} }];
  const sent = (value: unknown) => headersOf(request({ parameters }, { "X-P": value }))["x-p"];
  for (const value of [[], {}, { a: null }]) assert.equal(sent(value), undefined);
  assert.equal(sent(""), "");
  assert.equal(sent("é"), "é");
  for (const value of ["a\r\nb: c", "✓", ["a", "\0"]]) {
    assert.throws(() => sent(value), {
      code: "INVALID_INPUT",
      message:
        "X-P is sent as a header, which takes one line of Latin characters. Nothing was sent; correct it and call again.",
    });
  }
});

describe("bodies", () => {
  const send = (type: string, body: unknown, media: object = {}) =>
    request({ requestBody: { content: { [type]: { schema: {}, ...media } } } }, { body });

  test("a body is JSON with the media type of the document", () => {
    const { body } = send("application/vnd.api+json", { a: [1] });
    assert.deepEqual(body, { content: '{"a":[1]}', type: "application/vnd.api+json" });
    assert.equal(send("application/json", null).body?.content, "null");
  });

  test("a body is a form, with nested values as JSON or in the style of the document", () => {
    const schema = { properties: { m: {}, d: {}, l: {} } };
    const encoding = { d: { style: "deepObject" }, l: { style: "form", explode: false } };
    const { body } = send(
      "application/x-www-form-urlencoded",
      { m: { a: 1 }, d: { b: { c: 2 } }, l: [1, 2], n: null, t: ["x", "y"] },
      { schema, encoding },
    );
    assert.deepEqual(
      [...new URLSearchParams(String(body?.content))],
      [
        ["m", '{"a":1}'],
        ["d[b][c]", "2"],
        ["l", "1,2"],
        ["t", "x"],
        ["t", "y"],
      ],
    );
  });

  test("a multipart body has files from base64, values as JSON, and file names for files only", async () => {
    const properties = { file: { type: "string", format: "binary" }, about: { type: "object" } };
    const encoding = { file: { contentType: "image/png, image/jpeg" } };
    const input = { file: "AAEC", about: { a: 1 }, note: 'n\r\n--"', 'odd"\r\nname': [1, 2] };
    const { body } = send("multipart/form-data", input, { schema: { properties }, encoding });
    const form = await new Response(body?.content as Uint8Array<ArrayBuffer>, {
      headers: { "content-type": String(body?.type) },
    }).formData();
    const file = form.get("file");
    assert.ok(file instanceof File);
    assert.deepEqual(
      [file.type, file.name, [...new Uint8Array(await file.arrayBuffer())]],
      ["image/png", "file", [0, 1, 2]],
    );
    assert.deepEqual(
      [form.get("about"), form.get("note"), form.getAll('odd"\r\nname')],
      ['{"a":1}', 'n\r\n--"', ["1", "2"]],
    );
    assert.match(
      Buffer.from(body?.content as Uint8Array).toString(),
      /name="about"\r\ncontent-type: application\/json\r\n\r\n/,
    );
  });

  test("a multipart body has parts of bytes as in 3.1, and no part gets a type that is only a pattern", () => {
    const properties = {
      picture: { type: "string", contentMediaType: "image/png" },
      any: {},
      wild: { type: "string", format: "binary" },
      note: { type: "string", contentMediaType: "text/markdown" },
      encoded: { type: "string", contentMediaType: "image/png", contentEncoding: "base64" },
    };
    const encoding = { any: { contentType: "application/octet-stream" }, wild: { contentType: "image/*" } };
    const input = { picture: "QQ==", any: "Qg==", wild: "Qw==", note: "n", encoded: "RA==" };
    const { body } = send("multipart/form-data", input, { schema: { properties }, encoding });
    const written = Buffer.from(body?.content as Uint8Array).toString();
    const parts = [...written.matchAll(/form-data; (.*)\r\n(?:content-type: (.*)\r\n)?\r\n(.*)\r\n/g)];
    assert.deepEqual(
      parts.map(([, name, type, content]) => [name, type, content]),
      [
        ['name="picture"; filename="picture"', "image/png", "A"],
        ['name="any"; filename="any"', "application/octet-stream", "B"],
        ['name="wild"; filename="wild"', "application/octet-stream", "C"],
        ['name="note"', "text/markdown", "n"],
        ['name="encoded"', "image/png", "RA=="],
      ],
    );
  });

  test("a multipart body has lists in the style of the document", () => {
    const properties = { a: { type: "array" }, b: { type: "array" } };
    const encoding = { a: { style: "pipeDelimited", explode: false }, b: { explode: false } };
    const input = { a: [1, 2], b: [1, 2] };
    const { body } = send("multipart/form-data", input, { schema: { properties }, encoding });
    assert.match(Buffer.from(body?.content as Uint8Array).toString(), /\r\n1\|2\r\n.*\r\n1,2\r\n/s);
  });

  test("a body is text or bytes", () => {
    assert.equal(send("application/x-ndjson", "{}\n{}").body?.content, "{}\n{}");
    assert.deepEqual(send("text/csv", "a,b").body, { content: "a,b", type: "text/csv" });
    assert.deepEqual(send("application/octet-stream", "AAEC").body?.content, new Uint8Array([0, 1, 2]));
    assert.throws(() => send("application/octet-stream", "no base64!"), /must be bytes as base64/);
    assert.throws(() => send("multipart/form-data", "text"), /must be an object/);
  });

  test("no body is sent if none is given", () => {
    assert.equal(request({ requestBody: { content: { "application/json": {} } } }, {}).body, undefined);
  });
});
