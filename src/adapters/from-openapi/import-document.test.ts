import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bring, bringAll, contextWith, OK, scripted } from "../../../test/support/scripted-api.ts";
import { ImportError } from "../../core/index.ts";
import { createOutbound } from "../../outbound/index.ts";
import { importDocument } from "./import-document.ts";

import type { ImportOptions } from "./options.ts";

describe("registrations", () => {
  test("imported operations are internal unless a pattern says otherwise, and have the scopes of the source", async () => {
    const paths = {
      "/a": { get: { operationId: "listA", responses: OK }, post: { operationId: "makeA", responses: OK } },
    };
    const { set } = await bringAll(paths, { external: ["list*"], scopes: ["api"], public: true });
    assert.deepEqual(
      set.registrations.map(({ spec, provenance, public: open }) => [
        spec.name,
        spec.type,
        spec.visibility,
        spec.access,
        provenance,
        open,
      ]),
      [
        ["api/listA", "query", "external", { scopes: ["api"] }, "from-openapi", true],
        ["api/makeA", "mutation", "internal", { scopes: ["api"] }, "from-openapi", true],
      ],
    );
  });

  test("overrides of the operator win, and overrides without an operation are reported", async () => {
    const operations = { do: { name: "act", description: "Acts." }, gone: { name: "x" } };
    const { set, withoutEffect } = await bringAll(
      { "/a": { post: { operationId: "do", responses: OK } } },
      { operations, external: ["act"] },
    );
    const [{ spec } = await bring({})] = set.registrations;
    assert.deepEqual([spec.name, spec.description, spec.visibility], ["api/act", "Acts.", "external"]);
    assert.deepEqual(withoutEffect, ["operations.gone matches no operation of the source"]);
  });

  test("the operator decides who reaches the operations, also one by one", async () => {
    const paths = {
      "/a": { get: { operationId: "listA", responses: OK }, post: { operationId: "makeA", responses: OK } },
    };
    const operations = {
      listA: { external: false, scopes: [] },
      makeA: { external: true, scopes: ["admin"] },
    };
    const { set } = await bringAll(paths, { external: ["list*"], scopes: ["api"], operations });
    assert.deepEqual(
      set.registrations.map(({ spec }) => [spec.name, spec.visibility, spec.access]),
      [
        ["api/listA", "internal", {}],
        ["api/makeA", "external", { scopes: ["admin"] }],
      ],
    );
  });

  test("operations mutate by their method, whether they answer at once or as a stream", async () => {
    const EVENTS = { 200: { description: "", content: { "text/event-stream": {} } } };
    for (const [method, mutates, idempotent] of [
      ["get", false],
      ["head", false],
      ["options", false],
      ["post", true],
      ["put", true, true],
      ["patch", true],
      ["delete", true, true],
    ] as const)
      for (const responses of [OK, EVENTS]) {
        const { set } = await bringAll({ "/a": { [method]: { operationId: "do", responses } } });
        const [registration] = set.registrations;
        const { spec } = registration ?? assert.fail();
        assert.deepEqual([spec.mutates, spec.idempotent], [mutates, idempotent], `${method} ${spec.type}`);
      }
  });

  test("operations declare documented errors, and all others by one shared entry", async () => {
    const responses = {
      ...OK,
      302: { description: "Elsewhere." },
      401: { description: "Who?" },
      404: { description: "Gone." },
      429: { description: "Slow." },
      "4XX": { description: "Wrong." },
      "5XX": { description: "Broken." },
    };
    const { errors } = (await bring({ responses })).spec;
    assert.deepEqual(
      errors.map(({ code, httpStatus, retryable }) => [code, httpStatus, retryable]),
      [
        // What the service says about the gateway must not look like what the gateway says about its caller.
        ["HTTP_302", 502, undefined],
        ["HTTP_401", 502, undefined],
        ["HTTP_404", 404, undefined],
        ["HTTP_429", 429, true],
        ["HTTP_4*", 400, undefined],
        ["HTTP_5*", 502, undefined],
        ["HTTP_*", 502, undefined],
      ],
    );
  });

  test("declared errors have the schema of their details if the document has one", async () => {
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };
    const responses = {
      ...OK,
      404: { description: "Gone.", content },
      default: { description: "Odd.", content },
    };
    const components = { schemas: { Problem: { type: "object" } } };
    const { errors } = (await bring({ responses }, {}, { components })).spec;
    const schema = {
      properties: { body: { $ref: "#/$defs/Problem" } },
      $defs: { Problem: { type: "object" } },
    };
    assert.deepEqual(
      errors.map((error) => [error.code, error.schema]),
      [
        ["HTTP_404", schema],
        ["HTTP_*", schema],
      ],
    );
    assert.match(errors[1]?.description ?? "", /^Any other status .* "Odd\."$/);
  });

  test("operations answer as events if the operator wants that and the document allows it", async () => {
    const both = { "application/json": { schema: { type: "object" } }, "text/event-stream": {} };
    const paths = {
      "/a": {
        get: { operationId: "ask", responses: { 200: { description: "", content: both } } },
        put: { operationId: "tell", responses: OK },
      },
    };
    const typesOf = ({ set }: Awaited<ReturnType<typeof bringAll>>) =>
      set.registrations.map(({ spec }) => spec.type);
    assert.deepEqual(typesOf(await bringAll(paths)), ["query", "mutation"]);
    const type = "subscription";
    const outbound = scripted(
      () => new Response("data: 1\n\n", { headers: { "content-type": "text/event-stream" } }),
    );
    const changed = await bringAll(paths, { outbound, operations: { ask: { type }, tell: { type } } });
    assert.deepEqual(typesOf(changed), ["subscription", "mutation"]);
    assert.deepEqual(
      changed.warnings.map(({ where }) => where),
      ["PUT /a"],
    );
    const handler = changed.set.registrations[0]?.handler;
    assert.ok(handler?.kind === "stream");
    const items: unknown[] = [];
    for await (const item of handler.run({}, contextWith())) items.push(item);
    assert.deepEqual(items, [1]);
    assert.equal(Object(outbound.asked[0]?.headers).accept, "text/event-stream");
  });

  test("a stream has the schema of its items from the document, in whole events too", async () => {
    const both = {
      "application/json": {},
      "text/event-stream": { schema: { $ref: "#/components/schemas/Item" } },
    };
    const responses = { 200: { description: "", content: both } };
    const paths = {
      "/a": {
        get: { operationId: "plain", responses },
        post: { operationId: "whole", responses },
        put: { operationId: "once", responses: OK },
      },
    };
    const type = "subscription";
    const { set, warnings } = await bringAll(
      paths,
      { operations: { plain: { type }, whole: { type, events: "full" }, once: { events: "full" } } },
      { components: { schemas: { Item: { type: "object", properties: { n: { type: "integer" } } } } } },
    );
    const [plain, whole] = set.registrations.map(({ spec }) => spec.outputSchema as Record<string, object>);
    const item = { $ref: "#/$defs/Item" };
    assert.deepEqual(plain, { ...item, $defs: plain?.$defs });
    assert.deepEqual(whole, {
      type: "object",
      properties: { event: { type: "string" }, id: { type: "string" }, data: item },
      required: ["event", "data"],
      $defs: plain?.$defs,
    });
    assert.deepEqual(
      warnings.map(({ where, message }) => `${where}: ${message}`),
      ["PUT /a: events has no effect, because the operation does not answer with events"],
    );
  });

  test("of two operations that overrides give one name, one is imported", async () => {
    const paths = {
      "/a": { get: { operationId: "a", responses: OK }, put: { operationId: "b", responses: OK } },
    };
    const { set, warnings } = await bringAll(paths, { operations: { b: { name: "a" } } });
    assert.equal(set.registrations.length, 1);
    assert.match(warnings[0]?.message ?? "", /^api\/a is the name of two/);
  });

  test("an unreadable document is an ImportError", async () => {
    await assert.rejects(
      () =>
        importDocument(
          { root: 1, fingerprint: "" },
          {
            name: "api",
            headers: {},
            external: [],
            scopes: [],
            public: false,
            operations: {},
            timeoutMs: 1,
            outbound: createOutbound(),
          },
        ),
      (error) => error instanceof ImportError && error.code === "SCHEMA_PARSE",
    );
  });
});

test("an aborted import stops, and other work gets a turn during an import", async () => {
  const get = { responses: OK };
  const paths = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`/${n}`, { get }]));
  const root = { openapi: "3.1.0", paths };
  const options = {
    name: "api",
    headers: {},
    external: [],
    scopes: [],
    public: false,
    operations: {},
    timeoutMs: 1,
    outbound: createOutbound(),
  };
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  await assert.rejects(importDocument({ root, fingerprint: "" }, options, stop.signal), {
    name: "AbortError",
  });
});

describe("where calls go", () => {
  const urlFor = async (options: Partial<ImportOptions>, rest: object) => {
    const outbound = scripted(() => Response.json(1));
    const { handler } = await bring({}, { ...options, outbound }, rest);
    assert.ok(handler.kind === "once");
    await handler.run({}, contextWith());
    return String(outbound.asked[0]?.url);
  };

  test("calls go to the server of the document, relative to the document, or to the operator's server", async () => {
    const servers = [
      { url: "https://{r}.example.com/{v}/", variables: { r: { default: "eu" }, v: { enum: ["v2"] } } },
    ];
    assert.equal(await urlFor({}, { servers }), "https://eu.example.com/v2/things");
    const url = new URL("https://docs.example.com/api/openapi.json");
    assert.equal(
      await urlFor({}, { servers: [{ url: "../v3" }], url }),
      "https://docs.example.com/v3/things",
    );
    assert.equal(
      await urlFor({ server: new URL("https://own.example.com/x") }, { servers }),
      "https://own.example.com/x/things",
    );
  });

  test("variables of the server are set by the operator, and must be in the document", async () => {
    const servers = [
      { url: "https://{r}.example.com", variables: { r: { default: "eu", enum: ["eu", "us"] } } },
    ];
    assert.equal(await urlFor({ variables: { r: "us" } }, { servers }), "https://us.example.com/things");
    await assert.rejects(
      urlFor({ variables: { r: "x" } }, { servers }),
      (error) => error instanceof ImportError && /the document allows: eu, us/.test(error.message),
    );
  });

  test("a document without an address is a warning at import and an error at a call", async () => {
    const { warnings } = await bringAll({ "/a": { get: { responses: OK } } }, {}, {
      servers: [{ url: "/v1" }],
    } as object);
    assert.match(warnings[0]?.message ?? "", /set server/);
    const { handler } = await bring({}, {}, { servers: [] });
    assert.ok(handler.kind === "once");
    await assert.rejects(async () => handler.run({}, contextWith()), {
      code: "UNAVAILABLE",
      retryable: false,
    });
  });
});
