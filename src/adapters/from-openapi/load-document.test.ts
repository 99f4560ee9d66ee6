import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { ImportError } from "../../core/index.ts";
import { createOutbound } from "../../outbound/index.ts";
import { createDocumentLoader } from "./load-document.ts";

const NEVER = new AbortController().signal;

function directoryWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), "pinhole-document-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

function loaderOf(directory: string, reference: string) {
  return createDocumentLoader({ reference, directory, outbound: createOutbound() });
}

async function refusal(load: ReturnType<typeof loaderOf>): Promise<string> {
  try {
    await load(undefined, NEVER);
  } catch (error) {
    assert.ok(error instanceof ImportError);
    return `${error.code} ${error.message}`;
  }
  return "";
}

test("JSON and YAML documents are read with the files that they refer to, also indirectly", async (t) => {
  const directory = directoryWith(t, {
    "api/main.yaml": "openapi: 3.0.0\npaths: {/a: {$ref: './paths/a.json'}}\nresponses: {200: x}\n",
    "api/paths/a.json": '{"get": {"$ref": "../common/get.yml#/x"}, "self": {"$ref": "../main.yaml#/paths"}}',
    "api/common/get.yml": "x: &x {responses: {}}\ny: *x\n",
    "secret.txt": "token",
  });
  const loaded = await loaderOf(directory, "api/main.yaml")(undefined, NEVER);
  assert.deepEqual(loaded?.root, {
    openapi: "3.0.0",
    paths: { "/a": { $ref: "./paths/a.json" } },
    responses: { 200: "x" },
  });
  assert.deepEqual([...(loaded?.files?.keys() ?? [])].sort(), [
    "common/get.yml",
    "main.yaml",
    "paths/a.json",
  ]);
});

test("files outside of the document's folder, or of another kind, are not read", async (t) => {
  const directory = directoryWith(t, {
    "inner/api.json":
      '{"a": {"$ref": "../../../etc/hosts.yaml"}, "b": {"$ref": "./key.pem"}, "c": {"$ref": "./gone.json"}}',
    "inner/key.pem": "secret",
  });
  const loaded = await loaderOf(join(directory, "inner"), "api.json")(undefined, NEVER);
  assert.equal(loaded?.files?.size, 0);
});

test("a document cannot refer to the config, the logins or hidden folders of a gateway", async (t) => {
  const paths = [
    "../pinhole.yaml",
    "../other.yaml",
    "pinhole.yaml",
    "Pinhole.yml",
    ".pinhole/logins/github.json",
    "deep/.git/x.json",
    "deep/seen.json",
    "linked.json",
  ];
  const directory = directoryWith(t, {
    ...Object.fromEntries(paths.map((path) => [join("api", path), '{"title": "x"}'])),
    "api/api.json": JSON.stringify(paths.map((path) => ({ $ref: path }))),
  });
  rmSync(join(directory, "api/linked.json"));
  symlinkSync(".pinhole/logins/github.json", join(directory, "api/linked.json"));
  const loaded = await loaderOf(directory, "api/api.json")(undefined, NEVER);
  assert.deepEqual([...(loaded?.files?.keys() ?? [])], ["deep/seen.json"]);
});

test("a symbolic link is followed only within the document's folder", async (t) => {
  const outside = directoryWith(t, {
    "secret.yaml": "token: t",
    "specs/api.json": "{}",
    "specs/b.yaml": "b: 1",
  });
  const directory = directoryWith(t, {
    "api.json": '{"a": {"$ref": "link.yaml"}, "b": {"$ref": "near.yaml"}, "c": {"$ref": "..%2Fx.yaml"}}',
    "real/near.yaml": "x: {}",
  });
  symlinkSync(join(outside, "secret.yaml"), join(directory, "link.yaml"));
  symlinkSync("real/near.yaml", join(directory, "near.yaml"));
  const loaded = await loaderOf(directory, "api.json")(undefined, NEVER);
  assert.deepEqual([...(loaded?.files?.keys() ?? [])], ["near.yaml"]);

  // Documents that are kept elsewhere, each by a link of its own.
  writeFileSync(join(outside, "specs/api.json"), '{"b": {"$ref": "b.yaml"}}');
  symlinkSync(join(outside, "specs/api.json"), join(directory, "linked.json"));
  symlinkSync(join(outside, "specs/b.yaml"), join(directory, "b.yaml"));
  const linked = await loaderOf(directory, "linked.json")(undefined, NEVER);
  assert.deepEqual([...(linked?.files?.keys() ?? [])], ["b.yaml"]);
});

test("a file that is neither JSON nor YAML is skipped like a missing one", async (t) => {
  const directory = directoryWith(t, {
    "api.json":
      '{"a": {"$ref": "bad.yaml"}, "b": {"$ref": "good one.yaml"}, "c": {"$ref": "good%20one.yaml#/x"}}',
    "bad.yaml": "a: [1",
    "good one.yaml": "x: {}",
  });
  const loaded = await loaderOf(directory, "api.json")(undefined, NEVER);
  assert.deepEqual([...(loaded?.files?.keys() ?? [])].sort(), ["good one.yaml", "good%20one.yaml"]);
});

test("an unchanged document is not imported again, unless it refers to files", async (t) => {
  const directory = directoryWith(t, { "a.json": "{}", "b.json": '{"x": {"$ref": "a.json"}}' });
  const alone = loaderOf(directory, "a.json");
  const first = await alone(undefined, NEVER);
  assert.equal(await alone(first?.fingerprint, NEVER), undefined);
  writeFileSync(join(directory, "a.json"), '{"a":1}');
  assert.deepEqual((await alone(first?.fingerprint, NEVER))?.root, { a: 1 });
  const together = loaderOf(directory, "b.json");
  const known = await together(undefined, NEVER);
  assert.ok(await together(known?.fingerprint, NEVER));
  writeFileSync(join(directory, "c.json"), '{"x": {"$ref": "later.json"}}');
  const incomplete = loaderOf(directory, "c.json");
  const before = await incomplete(undefined, NEVER);
  assert.equal(before?.files?.size, 0);
  writeFileSync(join(directory, "later.json"), "{}");
  assert.equal((await incomplete(before?.fingerprint, NEVER))?.files?.size, 1);
});

test("an unreadable document is reported with the reason", async (t) => {
  const laughs = Array.from({ length: 10 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`)}]`);
  const directory = directoryWith(t, {
    "bad.yaml": "a: [1",
    "laughs.yaml": ["a0: &a0 ha", ...laughs].join("\n"),
    "deep.yaml": "[".repeat(100_000),
  });
  assert.match(
    await refusal(loaderOf(directory, "gone.yaml")),
    /^TRANSPORT .*gone\.yaml: there is no such file\.$/,
  );
  assert.match(
    await refusal(loaderOf(directory, "bad.yaml")),
    /^SCHEMA_PARSE bad\.yaml is neither JSON nor YAML/,
  );
  assert.match(await refusal(loaderOf(directory, "laughs.yaml")), /^SCHEMA_PARSE .*alias count/i);
  assert.match(await refusal(loaderOf(directory, "deep.yaml")), /^SCHEMA_PARSE /);
});

test("a document from the network has its URL, and files of the same host only", async (t) => {
  const texts: Readonly<Record<string, string>> = {
    "/api/main.json": '{"a": {"$ref": "pets.json"}, "b": {"$ref": "http://192.0.2.1/x.json"}}',
    "/api/pets.json": "{}",
  };
  const server = createServer((request, response) => {
    const text = texts[request.url ?? ""];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const outbound = createOutbound({ allowPrivate: true });
  t.after(async () => {
    await outbound.close();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
  const load = (name: string) =>
    createDocumentLoader({ reference: `${base}${name}`, directory: ".", outbound });
  const loaded = await load("main.json")(undefined, NEVER);
  assert.equal(loaded?.url?.href, `${base}main.json`);
  assert.deepEqual([...(loaded?.files?.keys() ?? [])], ["pets.json"]);
  assert.match(await refusal(load("gone.json")), /^TRANSPORT .*\/api\/gone\.json answered 404/);
});
