import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findViolations, type Table } from "./support/architecture.ts";
import { readSources } from "./support/source-files.ts";

/** The layers of core, each above the ones before it. */
const CORE = ["core/model", "core/access", "core/registry", "core/call"];
const SERVICES = ["services/search"];
const ADAPTERS = ["adapters/from-mcp", "adapters/from-openapi", "adapters/from-call", "adapters/from-plugin"];
const PROJECTIONS = ["projections/to-mcp", "projections/to-openapi", "projections/to-call"];
const CREDENTIALS = ["credentials", "credentials/oauth"];
const BELOW_GATEWAY = [
  "core",
  "contract",
  "formats",
  "outbound",
  "identity",
  "protocol",
  "protocol/transports",
  ...SERVICES,
  "runtime.ts",
  "config",
  "observe",
  ...CREDENTIALS,
  "adapters",
  "adapters/source",
  ...ADAPTERS,
  ...PROJECTIONS,
];
const GATEWAY = [
  "gateway/lock",
  "gateway/sources",
  "gateway/peers",
  "gateway/server",
  "gateway/surface",
  "gateway/facets",
];
const FOR_OPERATOR = [...BELOW_GATEWAY, "gateway", ...GATEWAY];
/** Entrances of operator: each loads no more than its commands need. */
const OPERATOR = [
  "operator/configuration",
  "operator/node",
  "operator/inspect",
  "operator/login",
  "operator/doctor",
];
const FOR_ADAPTERS = ["core", "formats", "outbound", "config", ...CREDENTIALS, "adapters/source"];

/** Who may import whom, and which packages each folder may use. A folder enters another through its `index.ts`. */
const TABLE: Table = {
  core: { imports: CORE, node: false },
  "core/model": { imports: [], node: false },
  "core/access": { imports: CORE.slice(0, 1), node: false },
  "core/registry": { imports: CORE.slice(0, 2), node: false },
  "core/call": { imports: CORE.slice(0, 3), node: false },

  contract: { imports: ["core", "formats"] },
  formats: { imports: ["core"], packages: ["eventsource-parser", "re2js"] },
  outbound: { imports: ["core", "formats"], packages: ["undici"] },
  identity: { imports: ["core", "formats"], packages: ["jose"] },
  // A browser loads it, so that what needs Node is beside it and not in it.
  protocol: { imports: ["core", "formats"], node: false },
  "protocol/transports": { imports: ["core", "protocol"], packages: ["ws"] },

  "services/search": { imports: ["core", "contract", "formats"] },
  "runtime.ts": { imports: ["core", "formats", "identity", ...SERVICES] },

  config: { imports: ["core", "formats", "identity"], packages: ["yaml"] },
  observe: { imports: ["core", "formats", "outbound", "config"] },
  credentials: { imports: ["core", "formats", "outbound", "config"] },
  "credentials/oauth": {
    imports: ["core", "formats", "outbound", "config", "credentials"],
    packages: ["@modelcontextprotocol/client", "jose"],
  },

  // The one map from kind to source.
  adapters: { imports: ["config", "adapters/source", ...ADAPTERS] },
  "adapters/source": { imports: ["core", "outbound", "config", "credentials"] },
  "adapters/from-mcp": { imports: FOR_ADAPTERS, packages: ["@modelcontextprotocol/client"] },
  "adapters/from-openapi": { imports: FOR_ADAPTERS, packages: ["yaml"] },
  "adapters/from-call": { imports: [...FOR_ADAPTERS, "protocol", "protocol/transports"] },
  "adapters/from-plugin": { imports: FOR_ADAPTERS, loader: "adapters/from-plugin/plugins.ts" },

  "projections/to-mcp": {
    imports: ["core", "contract", "formats"],
    packages: ["@modelcontextprotocol/server"],
  },
  "projections/to-openapi": { imports: ["core", "contract", "formats"] },
  "projections/to-call": { imports: ["core", "contract", "formats", "protocol", "protocol/transports"] },

  demo: { imports: ["core", "adapters/from-openapi"] },
  gateway: { imports: [...BELOW_GATEWAY, "demo", ...GATEWAY] },
  "gateway/lock": { imports: BELOW_GATEWAY },
  "gateway/sources": { imports: BELOW_GATEWAY },
  "gateway/peers": { imports: [...BELOW_GATEWAY, "gateway/sources"] },
  "gateway/server": { imports: BELOW_GATEWAY, packages: ["hono", "@hono/node-server"] },
  // Its types are public, and hold where the packages of MCP are not installed: it names none of theirs.
  "gateway/surface": { imports: BELOW_GATEWAY },
  "gateway/facets": { imports: [...BELOW_GATEWAY, "gateway/server", "gateway/surface"] },

  operator: { imports: [...FOR_OPERATOR, "operator/node"] },
  "operator/configuration": { imports: FOR_OPERATOR },
  "operator/node": { imports: FOR_OPERATOR },
  "operator/inspect": { imports: FOR_OPERATOR },
  "operator/login": { imports: FOR_OPERATOR, packages: ["@modelcontextprotocol/client"] },
  "operator/doctor": { imports: [...FOR_OPERATOR, "operator", "operator/inspect"] },
  cli: {
    imports: ["core", "config", "operator", ...OPERATOR],
    packages: ["jsonc-parser"],
  },

  "client.ts": { imports: ["core", "protocol"] },
  "core.ts": { imports: ["core", "contract", "formats", "identity", ...SERVICES, "runtime.ts"] },
  "testing.ts": { imports: ["core", "runtime.ts"] },
  "adapters.ts": {
    imports: ["core", "config", "observe", "adapters", "adapters/source", "gateway/sources"],
  },
  "projections.ts": {
    imports: ["core", "config", "runtime.ts", ...PROJECTIONS, "gateway/server"],
    packages: ["@hono/node-server"],
  },
  "index.ts": { imports: [...BELOW_GATEWAY, "demo", "gateway", "gateway/surface", "core.ts"] },
};

test("src keeps to the table, enters folders through their index, and has no circles, long files or odd names", () => {
  assert.deepEqual(findViolations(readSources("src"), TABLE), []);
});

/** A small table to check the check with. */
const SAMPLE: Table = {
  core: { imports: [], node: false },
  formats: { imports: ["core"], packages: ["jmespath", "re2js"] },
  search: { imports: ["core", "formats"] },
  protocol: { imports: ["core"], node: false },
  runtime: { imports: ["core", "formats", "search"] },
  "adapters/from-mcp": { imports: ["core", "formats"] },
  "adapters/from-call": { imports: ["core", "formats", "protocol"] },
  projections: { imports: ["core", "formats"], entry: "contract.ts" },
  "projections/to-mcp": { imports: ["core", "formats", "projections"] },
  gateway: { imports: ["core", "formats", "search", "runtime"] },
  cli: { imports: ["core", "gateway"] },
  "client.ts": { imports: ["core", "protocol"] },
  "core.ts": { imports: ["core", "formats", "search", "runtime"] },
};

describe("the check of the architecture", () => {
  test("the check of the architecture accepts a table row, the own folder, an allowed package and a test's freedom", () => {
    accepts({
      "core/index.ts": 'export { a } from "./a.ts";',
      "core/a.ts": 'import type { B } from "./b.ts";',
      "core/b.ts": "export interface B {}",
      "core/a.test.ts":
        'import test from "node:test"; import "fast-check"; import { b } from "./b.ts"; import "../gateway/index.ts";',
      "formats/index.ts": 'import "re2js"; import { x } from "./json-schema/index.ts";',
      "formats/json-schema/index.ts": 'export * from "./rules.ts"; import "../../core/index.ts";',
      "formats/json-schema/rules.ts": 'import "node:crypto";',
      "formats/reader.test.ts": 'import "./json-schema/rules.ts"; import "../../test/support/corpus.ts";',
      "projections/contract.ts": "",
      "projections/to-mcp/index.ts": 'import { shape } from "../contract.ts";',
      "cli/main.ts": 'import { serve } from "./commands/serve.ts";',
      "cli/commands/serve.ts": 'import("../../gateway/index.ts");',
      "gateway/index.ts": "",
    });
  });

  test("the check of the architecture refuses an import that the table does not have, however it is written", () => {
    const reason = "src/core/a.ts imports src/formats/index.ts, but core may import no other folder.";
    for (const statement of [
      'import { x } from "../formats/index.ts";',
      'import type { X } from "../formats/index.ts";',
      'import x, * as y from "../formats/index.ts";',
      'import {\n  type X, // the "X"\n  y as z,\n} from "../formats/index.ts";',
      "import '../formats/index.ts';",
      'export*from"../formats/index.ts"',
      'export * from "../formats/index.ts";',
      'export type { X } from "../formats/index.ts";',
      'const x = await import("../formats/index.ts");',
      'let x: import("../formats/index.ts").X;',
      "const text = `$" + '{await import("../formats/index.ts")}`;',
      'const quote = /["`]/; import { x } from "../formats/index.ts";',
      'const text = `a "$' + "{b + `c's`}`; " + 'import { x } from "../formats/index.ts";',
    ]) {
      refuses({ "core/a.ts": statement, "formats/index.ts": "" }, reason);
    }
  });

  test("the check of the architecture reads no import out of comments, strings, templates and methods", () => {
    accepts({
      "core/a.ts": [
        '// import { x } from "../formats/index.ts";',
        '/* import "../formats/index.ts" */',
        "const text = 'import \"../formats/index.ts\"';",
        'const more = `import "../formats/index.ts" $' + '{a / b} from "../formats/index.ts"`;',
        'const pattern = /import "..\\/formats/;',
        "loader.import(text);",
        "const here = import.meta.url;",
      ].join("\n"),
    });
  });

  test("the check of the architecture refuses what only the package roots and the command line may do", () => {
    refuses(
      { "core.ts": 'import "./gateway/index.ts";', "gateway/index.ts": "" },
      "src/core.ts imports src/gateway/index.ts, but core.ts may import only core, formats, search, runtime.",
    );
    refuses(
      { "client.ts": 'import "./runtime/index.ts";', "runtime/index.ts": "" },
      "src/client.ts imports src/runtime/index.ts, but client.ts may import only core, protocol.",
    );
    refuses(
      { "search/a.ts": 'import "../core.ts";', "core.ts": "" },
      "src/search/a.ts imports src/core.ts, but search may import only core, formats.",
    );
    refuses(
      { "adapters/from-call/a.ts": 'import "../from-mcp/index.ts";', "adapters/from-mcp/index.ts": "" },
      "src/adapters/from-call/a.ts imports src/adapters/from-mcp/index.ts, but adapters/from-call may import only core, formats, protocol.",
    );
  });

  test("the check of the architecture refuses packages and modules of Node that a folder may not use", () => {
    refuses({ "core/a.ts": 'import "re2js";' }, "src/core/a.ts imports re2js, but core may use no package.");
    refuses(
      { "formats/a.ts": 'import "@scope/name/deep";' },
      "src/formats/a.ts imports @scope/name/deep, but formats may use only jmespath, re2js.",
    );
    for (const name of ["node:fs", "fs/promises"]) {
      refuses(
        { "core/a.ts": `import "${name}";` },
        `src/core/a.ts imports ${name}, but core uses no module of Node.`,
      );
    }
    refuses(
      { "gateway/a.ts": 'import "pinhole/core";' },
      "src/gateway/a.ts imports pinhole/core, but files of src import each other by path.",
    );
  });

  test("the check of the architecture refuses to enter a folder beside its index, in tests as well", () => {
    const core = { "core/index.ts": "", "core/a.ts": "" };
    for (const path of ["search/b.ts", "search/b.test.ts"]) {
      refuses(
        { ...core, [path]: 'import "../core/a.ts";' },
        `src/${path} imports src/core/a.ts, but core is entered through src/core/index.ts only.`,
      );
    }
    refuses(
      {
        "formats/a.ts": 'import "./json/rules.ts";',
        "formats/json/index.ts": "",
        "formats/json/rules.ts": "",
      },
      "src/formats/a.ts imports src/formats/json/rules.ts, but that folder is entered through src/formats/json/index.ts only.",
    );
  });

  test("the check of the architecture refuses what it cannot judge", () => {
    refuses(
      { "core/a.ts": "await import(name);" },
      "src/core/a.ts computes what it imports, so nothing can check it; write the name as a string.",
    );
    refuses(
      { "core/a.ts": 'import "./b.ts";' },
      "src/core/a.ts imports src/core/b.ts, but there is no such file.",
    );
    refuses(
      { "core/a.ts": 'import "../../scripts/b.ts";' },
      "src/core/a.ts imports scripts/b.ts, but that lies outside of src.",
    );
    refuses(
      { "core/a.ts": 'import "./b.test.ts";', "core/b.test.ts": "" },
      "src/core/a.ts imports src/core/b.test.ts, but nothing imports a test.",
    );
    for (const path of ["helpers/a.ts", "projections/to-morse/a.ts"]) {
      refuses({ [path]: "" }, `src/${path} lies in no folder of the table; give its folder a row.`);
    }
  });

  test("the check of the architecture refuses circles, each once, also of types", () => {
    refuses(
      {
        "core/a.ts": 'import type { B } from "./b.ts";',
        "core/b.ts": 'import { c } from "./c.ts";',
        "core/c.ts": 'import { a } from "./a.ts"; import { b } from "./b.ts";',
        "core/d.ts": 'import { a } from "./a.ts";',
      },
      "src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts is a circle of imports; move what they share into a file of its own.",
    );
  });

  test("the check of the architecture refuses long files and names that are not kebab-case", () => {
    accepts({ "core/a.ts": "\n".repeat(300), "core/b-c.d.ts": "" });
    refuses(
      { "core/a.ts": "\n".repeat(301) },
      "src/core/a.ts has 301 lines, but a file has at most 300; split it by stage or by thing.",
    );
    for (const path of ["core/aB.ts", "core/a_b.ts", "core/Sub/a.ts"]) {
      refuses({ [path]: "" }, `src/${path} is not named in kebab-case.`);
    }
  });
});

function accepts(files: Readonly<Record<string, string>>): void {
  assert.deepEqual(findViolations(new Map(Object.entries(files)), SAMPLE), []);
}

function refuses(files: Readonly<Record<string, string>>, sentence: string): void {
  assert.deepEqual(findViolations(new Map(Object.entries(files)), SAMPLE), [sentence]);
}
