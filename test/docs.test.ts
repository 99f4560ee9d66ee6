import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { parseDocument } from "yaml";
import { CONFIG_SCHEMA, loadConfig } from "../src/adapters/index.ts";
import { ERROR_TABLE, isRecord } from "../src/core/index.ts";
import { startGateway } from "../src/gateway/index.ts";
import { createLog } from "../src/observe/index.ts";
import {
  commandLines,
  figuresOf,
  missingEvidence,
  uncitedCells,
  unprovedFigures,
  unprovedItems,
  unsaidMessages,
  wrongCommands,
} from "./support/docs-claims.ts";
import {
  brokenLinks,
  type CodeBlock,
  codeBlocks,
  type Page,
  proseOf,
  readPage,
  readPages,
} from "./support/docs-pages.ts";
import { MADE, madePage } from "./support/docs-refresh.ts";
import { patternOf } from "./support/example.ts";
import { ROOT, readSources } from "./support/source-files.ts";

const PAGES = readPages();
const README = readPage("README.md");

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "pinhole-docs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("the documents", () => {
  test("the documents lead only to files and headings that exist, and to every page from the index", () => {
    assert.deepEqual(brokenLinks(PAGES), []);
    const { text } = readPage("docs/index.md");
    const pages = readdirSync(join(ROOT, "docs")).filter(
      (name) => name.endsWith(".md") && name !== "index.md",
    );
    assert.deepEqual(
      pages.filter((name) => !text.includes(`(${name})`)),
      [],
      "Each page has a row in docs/index.md.",
    );
  });

  test("the documents name only decisions that were taken", () => {
    const taken = new Set(readdirSync(join(ROOT, "docs/decisions")).map((name) => name.slice(0, 3)));
    const named = PAGES.flatMap(({ path, text }) =>
      [...text.matchAll(/\bdecision (\d{3})\b/gi)].map(([, number = ""]) => ({ path, number })),
    );
    assert.ok(named.length > 0);
    assert.deepEqual(
      named.filter(({ number }) => !taken.has(number)),
      [],
    );
  });

  for (const path of Object.keys(MADE)) {
    test(`${path} is what the code says`, async () => {
      const { text } = await madePage(path);
      assert.equal(
        readPage(path).text,
        text,
        `${path} is stale. Refresh it: node test/support/docs-refresh.ts`,
      );
    });
  }

  test("the documents type only commands and options that the program has", async () => {
    assert.ok(PAGES.flatMap(commandLines).length > 100);
    const wrong = await Promise.all(PAGES.map(wrongCommands));
    assert.deepEqual(wrong.flat(), []);
  });

  test("the documents show only configurations that the program takes", async (t) => {
    const shown = PAGES.flatMap(configsOf);
    assert.ok(shown.length >= 10, `${shown.length}`);
    const directory = folderOf(t);
    for (const { page, line, code } of shown) {
      let count = 0;
      // What stands for a hash must be one, and each another.
      const config = code.replaceAll("sha256:…", () => `sha256:${String(++count).padStart(64, "0")}`);
      writeFileSync(join(directory, "pinhole.yaml"), config);
      await assert.doesNotReject(loadConfig({ directory }), `${page}:${line}`);
    }
  });

  test("the documents hold programs that print what they say", async (t) => {
    const programs = PAGES.flatMap(codeBlocks).filter(({ language }) => language === "ts");
    const printing = programs.filter(({ code }) => code.includes("console.log"));
    assert.ok(printing.length >= 1);
    for (const [index, { page, line, code }] of printing.entries()) {
      const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = ""]) => text);
      assert.deepEqual(await outputOf(t, code, index), said, `${page}:${line}`);
    }
  });
});

describe("the README", () => {
  test("the README says of every figure, row and item what prints or checks it, and names only what exists", () => {
    assert.deepEqual(unprovedFigures(README), []);
    assert.deepEqual(unprovedItems(README), []);
    assert.deepEqual(missingEvidence(README), []);
  });

  test("the README has no figure that its own pages do not have", () => {
    const pages = ["docs/strategies.md", "docs/search.md"].map((path) => readPage(path).text).join("\n");
    const large = figuresOf(README).filter((figure) => /\d{3}|\d\.\d/.test(figure));
    assert.ok(large.length > 0);
    assert.deepEqual(
      large.filter((figure) => !pages.includes(figure) && !KNOWN_BOUNDS.has(figure)),
      [],
    );
  });

  test("the README begins with an example that runs as it is printed", async (t) => {
    const [first] = codeBlocks(README).filter(({ language }) => language === "console");
    assert.ok(
      first && first.line <= 30 && first.code.startsWith("$ npm start"),
      "it stands in the first 30 lines",
    );
    const directory = folderOf(t);
    const gateway = await startGateway({ directory, flags: { port: "0" }, log: createLog("error") });
    t.after(() => gateway.close());
    const steps = first.code.split(/^\$ /m).slice(2);
    assert.ok(steps.length >= 2);
    for (const step of steps) {
      const [line = "", ...shown] = step
        .trimEnd()
        .replaceAll(/\\\n\s*/g, "")
        .split("\n");
      const response = await curl(line.replace("http://127.0.0.1:7464", gateway.url));
      assert.match((await response.text()).trim(), patternOf(shown.join("\n").trim()), line);
    }
  });
});

describe("the page of troubles", () => {
  const page = readPage("docs/troubleshooting.md");

  test("the page of troubles quotes only what the program says", () => {
    const messages = codeBlocks(page)
      .filter(({ language }) => language === "text")
      .flatMap(({ code }) => code.split("\n"));
    assert.ok(messages.length >= 40, `${messages.length}`);
    assert.deepEqual(unsaidMessages(messages), []);
    assert.equal(unsaidMessages(["Nobody ever says this."]).length, 1);
  });

  test("the page of troubles has every code that a call or an import can end with", () => {
    const imports = ["UNAUTHORIZED", "TRANSPORT", "DISCOVERY_FAILED", "SCHEMA_PARSE", "NAME_COLLISION"];
    const codes = [...Object.keys(ERROR_TABLE), ...imports];
    assert.deepEqual(
      codes.filter((code) => !page.text.includes(`\`${code}\``)),
      [],
    );
  });
});

test("the comparison says of every cell where it was read, and when", () => {
  assert.deepEqual(uncitedCells(readPage("docs/comparison.md"), "Pinhole"), []);
});

test("the architecture names only files and folders that exist", () => {
  const paths = [...readSources("src").keys()];
  const named = [
    ...proseOf(readPage("ARCHITECTURE.md")).matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts|(?:[\w-]+\/)+)`/g),
  ];
  assert.ok(named.length > 50);
  const missing = named
    .map(([, name = ""]) => name)
    .filter(
      (name) => !existsSync(join(ROOT, name)) && !paths.some((path) => `/${path}`.includes(`/${name}`)),
    );
  assert.deepEqual(missing, []);
});

/** Bounds that a test holds, rather than figures that were measured. */
const KNOWN_BOUNDS = new Set(["700", "100,000"]);

/** The code of a page that is a configuration, or the beginning of one. */
function configsOf(page: Page): readonly CodeBlock[] {
  const known = Object.keys(CONFIG_SCHEMA.properties);
  return codeBlocks(page).filter(({ language, code }) => {
    if (language !== "yaml" && language !== "") return false;
    const document = parseDocument(code);
    const value: unknown = document.errors.length === 0 ? document.toJS() : undefined;
    if (!isRecord(value)) return language === "yaml";
    return language === "yaml" || Object.keys(value).every((key) => known.includes(key));
  });
}

/** Runs a program of a page as a module of its own, and answers what it printed. */
async function outputOf(t: TestContext, code: string, index: number): Promise<readonly string[]> {
  const file = join(folderOf(t), `program-${index}.ts`);
  const source = (name: string) => pathToFileURL(join(ROOT, "src", name)).href;
  writeFileSync(
    file,
    code
      .replaceAll('"pinhole/core"', `"${source("core.ts")}"`)
      .replaceAll('"pinhole"', `"${source("index.ts")}"`),
  );
  const printed: string[] = [];
  t.mock.method(console, "log", (...values: unknown[]) => void printed.push(values.join(" ")));
  await import(pathToFileURL(file).href);
  t.mock.restoreAll();
  return printed;
}

/** Sends what a line of curl would send. */
function curl(line: string): Promise<Response> {
  const url = /'(http[^']+)'|(http\S+)/.exec(line);
  const body = / -d '([^']*)'/.exec(line)?.[1];
  const headers = Object.fromEntries(
    [...line.matchAll(/ -H '([^:']+): ([^']*)'/g)].map(([, name, value]) => [name, value]),
  );
  return fetch(url?.[1] ?? url?.[2] ?? "", { headers, ...(body !== undefined && { method: "POST", body }) });
}
