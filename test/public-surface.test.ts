import assert from "node:assert/strict";
import { test } from "node:test";
import * as gateway from "pinhole";
import * as adapters from "pinhole/adapters";
import * as client from "pinhole/client";
import * as core from "pinhole/core";
import * as projections from "pinhole/projections";
import * as testing from "pinhole/testing";
import { readSources } from "./support/source-files.ts";

// A name that is added here is kept; one that is taken away breaks programs. Types are checked by test/package.test.ts.
const ADAPTERS = [
  "ConfigError",
  "EVERY_KIND",
  "defineSource",
  "fromCall",
  "fromMcp",
  "fromOpenApi",
  "sourceOptionsOf",
  "startSource",
];
const PROJECTIONS = ["toCall", "toHttp", "toMcp", "toNodeHandler"];
const CLIENT = ["CallError", "connectPeer"];
const CORE = [
  "ANONYMOUS",
  "CallError",
  "Capabilities",
  "DEFAULT_POLICY",
  "ERROR_TABLE",
  "FLOODED",
  "FloodPause",
  "ImportError",
  "MAX_NAME_LENGTH",
  "MIN_SECRET_LENGTH",
  "NO_INPUT",
  "NO_REDACTION",
  "Owners",
  "RESERVED_NAMESPACES",
  "RegistrationError",
  "Registry",
  "SILENT_LOG",
  "SchemaUnusable",
  "UnaskedMessages",
  "ValueTooComplex",
  "abortableStream",
  "atFragment",
  "atPointer",
  "compilePatterns",
  "completeSpec",
  "createDispatch",
  "createGatewayDispatch",
  "createLimits",
  "createRedactor",
  "createRuntime",
  "createSchemaValidator",
  "createSearchIndex",
  "createSelector",
  "createServices",
  "createSourceRules",
  "createView",
  "decideSight",
  "defineOperation",
  "definePlugin",
  "httpStatusOf",
  "isContentOutput",
  "isRecord",
  "iteratorOf",
  "keepImported",
  "lastSegmentOf",
  "measureJson",
  "namespaceOf",
  "nearest",
  "normaliseName",
  "ownSet",
  "parseTrace",
  "pointerTo",
  "problemOfName",
  "refusalToReadmit",
  "runBatch",
  "sameJson",
  "showInvisible",
  "sightKey",
  "signatureOf",
  "strictest",
  "timeLeft",
  "withoutInvisible",
];
const GATEWAY = ["ConfigError", "DEMO", "createLog", "measureSurface", "startGateway"];

test("pinhole/client exports what a program needs to call a gateway and to read its answers", () => {
  assert.deepEqual(Object.keys(client).sort(), CLIENT);
});

test("pinhole/adapters exports the sources of a registry and the contract of a kind of source", () => {
  assert.deepEqual(Object.keys(adapters).sort(), ADAPTERS);
});

test("pinhole/projections exports the handlers that show a runtime in a server", () => {
  assert.deepEqual(Object.keys(projections).sort(), PROJECTIONS);
});

test("pinhole/testing exports what a test of a plugin needs", () => {
  assert.deepEqual(Object.keys(testing), ["runOperation"]);
});

test("pinhole/core exports registry, dispatch and what they need", () => {
  assert.deepEqual(Object.keys(core).sort(), CORE);
});

test("pinhole exports all of pinhole/core and the gateway", () => {
  assert.deepEqual(Object.keys(gateway).sort(), [...CORE, ...GATEWAY].sort());
});

test("every exported declaration has a doc comment", () => {
  const found = [...readSources("src")]
    .filter(([path]) => !path.endsWith(".test.ts"))
    .flatMap(([path, text]) => undocumentedExports(text).map((name) => `src/${path} exports ${name}`));
  assert.deepEqual(found, []);
});

test("the check of doc comments finds an export without one", () => {
  const documented =
    "/** Says why. */\nexport const a = 1;\n/**\n * Long.\n */\nexport async function b() {}\n";
  const overloads =
    "/** Both. */\nexport function c(x: string): void;\nexport function c(x: number): void;\n";
  const bare = "export interface D {}\n\nexport type E = 1;\n// no doc comment\nexport abstract class F {}\n";
  assert.deepEqual(undocumentedExports(documented + overloads + bare), ["D", "E", "F"]);
  assert.deepEqual(
    undocumentedExports('export type { G } from "./g.ts";\nexport { h } from "./h.ts";\n'),
    [],
  );
});

const EXPORT =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type) (\w+)/;

/** The names of a file's exported declarations that stand under no doc comment; of overloads, the first counts. */
function undocumentedExports(source: string): readonly string[] {
  const lines = source.split("\n");
  const documented = new Set<string>();
  const undocumented = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const name = EXPORT.exec(line)?.[1];
    if (name === undefined) continue;
    if (lines[index - 1]?.trimEnd().endsWith("*/") === true) documented.add(name);
    else if (!documented.has(name)) undocumented.add(name);
  }
  return [...undocumented];
}
