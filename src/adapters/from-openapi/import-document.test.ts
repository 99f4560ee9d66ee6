import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bring, bringAll, contextWith, OK, scripted } from "../../../test/support/scripted-api.ts";
import { createOutbound } from "../../outbound/index.ts";
import { importDocument } from "./import-document.ts";
import { ImportError } from "./import-error.ts";
import type { ImportOptions } from "./options.ts";

describe("registrations", () => {
  test("are leaves of their source, internal unless a pattern says otherwise, with the scopes of the source", () => {
    const paths = {
      "/a": { get: { operationId: "listA", responses: OK }, post: { operationId: "makeA", responses: OK } },
    };
    const { set } = bringAll(paths, { external: ["list*"], scopes: ["api"], public: true });
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

  test("say what the operator says instead, and what the operator says about nothing is told", () => {
    const operations = { do: { name: "act", description: "Acts." }, gone: { name: "x" } };
    const { set, warnings } = bringAll(
      { "/a": { post: { operationId: "do", responses: OK } } },
      { operations, external: ["act"] },
    );
    const [{ spec } = bring({})] = set.registrations;
    assert.deepEqual([spec.name, spec.description, spec.visibility], ["api/act", "Acts.", "external"]);
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ["operations.gone stands for no operation of the document"],
    );
  });

  test("declare documented errors, and all others by one entry that they share", () => {
    const responses = { ...OK, 404: { description: "Gone." }, 429: { description: "Slow." } };
    const { errors } = bring({ responses }).spec;
    assert.deepEqual(
      errors.map(({ code, httpStatus, retryable }) => [code, httpStatus, retryable]),
      [
        ["HTTP_404", 404, undefined],
        ["HTTP_429", 429, true],
        ["HTTP_*", 502, undefined],
      ],
    );
  });

  test("two operations that an override gives one name do not both come in", () => {
    const paths = {
      "/a": { get: { operationId: "a", responses: OK }, put: { operationId: "b", responses: OK } },
    };
    const { set, warnings } = bringAll(paths, { operations: { b: { name: "a" } } });
    assert.equal(set.registrations.length, 1);
    assert.match(warnings[0]?.message ?? "", /^api\/a is the name of two/);
  });

  test("a document that cannot be read is an ImportError", () => {
    assert.throws(
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

describe("where calls go", () => {
  const urlFor = async (options: Partial<ImportOptions>, rest: object) => {
    const outbound = scripted(() => Response.json(1));
    const { handler } = bring({}, { ...options, outbound }, rest);
    assert.ok(handler.kind === "once");
    await handler.run({}, contextWith());
    return String(outbound.asked[0]?.url);
  };

  test("to the server of the document, relative to the document, or where the operator says", async () => {
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

  test("nowhere without an address, which is a warning first and an error at a call", async () => {
    const { warnings } = bringAll({ "/a": { get: { responses: OK } } }, {}, {
      servers: [{ url: "/v1" }],
    } as object);
    assert.match(warnings[0]?.message ?? "", /set server/);
    const { handler } = bring({}, {}, { servers: [] });
    assert.ok(handler.kind === "once");
    await assert.rejects(async () => handler.run({}, contextWith()), {
      code: "UNAVAILABLE",
      retryable: false,
    });
  });
});
