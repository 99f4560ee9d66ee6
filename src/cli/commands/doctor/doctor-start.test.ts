import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { serveRuntime } from "../../../../test/support/serve.ts";
import { DEMO } from "../../../demo/index.ts";

const DOCUMENT = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Pets" },
  servers: [{ url: "https://pets.example.com" }],
  paths: { "/pets": { get: { operationId: "list", responses: { 200: { description: "All." } } } } },
});

test("doctor reports a taken port as a start would, also if a gateway has it", async (t) => {
  const server = createServer((_, response) => response.end("hi"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const folder = createCliFolder(t, { files: { "pinhole.yaml": `server: { port: ${port} }` } });
  assert.match((await folder.run("doctor")).out, /note {3}port: Port \d+ on 127\.0\.0\.1 is taken\./);
  const gateway = await serveRuntime({ sources: DEMO });
  t.after(() => gateway.close(0));
  const other = createCliFolder(t, { files: { "pinhole.yaml": `server: { port: ${gateway.mcpUrl.port} }` } });
  assert.match(
    (await other.run("doctor")).out,
    /note {3}port: A gateway runs there already\. Another one would not start: Port \d+ .* is taken/,
  );
});

test("doctor tries what a start needs: audit file, certificate, sockets", async (t) => {
  const config = `
audit: { file: ./none/audit.jsonl }
server:
  tls: { cert: ./none.pem, key: { file: ./none.key } }
  callProtocol: { unix: ./nowhere/pinhole.sock }
`;
  const { code, out } = await createCliFolder(t, { files: { "pinhole.yaml": config } }).run(
    "doctor",
    "--port",
    "0",
  );
  assert.equal(code, 1);
  assert.match(
    out,
    /WRONG {2}audit: audit\.file: .*audit\.jsonl cannot be written: there is no folder .*none\. Make it/,
  );
  assert.match(out, /WRONG {2}tls: The certificate \.\/none\.pem is missing/);
  assert.match(out, /WRONG {2}call protocol: Cannot listen on .*pinhole\.sock: there is no folder .*nowhere/);
  const good = "audit: { file: ./audit.jsonl }\nserver: { callProtocol: { unix: ./p.sock } }\n";
  const folder = createCliFolder(t, { files: { "pinhole.yaml": good } });
  const fine = await folder.run("doctor", "--port", "0");
  assert.match(fine.out, /ok {5}audit: .*audit\.jsonl can be written\./);
  assert.match(fine.out, /ok {5}call protocol: \.\/p\.sock can be listened on\./);
  assert.deepEqual(readdirSync(folder.path), ["pinhole.yaml"], "it leaves nothing behind");
});

test("doctor says that an API answers only after asking it, and reports a missing document", async (t) => {
  const server = createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { out } = await createCliFolder(t, {
    files: {
      "pinhole.yaml": `sources:
  up: { openapi: ./pets.json, server: "http://127.0.0.1:${port}/v1", allowPrivate: true }
  gone: { openapi: ./gone.json }
`,
      "pets.json": DOCUMENT,
    },
  }).run("doctor", "--port", "0");
  assert.match(out, /ok {5}up: Its document is read, and http:\/\/127\.0\.0\.1:\d+ answers: 1 operation\./);
  assert.match(out, /WRONG {2}gone: /);
  assert.match(out, /\d\. Put the document at \.\/gone\.json, or correct sources\.gone\.openapi\./);
});

test("doctor lists loaded plugins, and reports a gateway that is its own source", async (t) => {
  const gateway = await serveRuntime({ sources: DEMO });
  t.after(() => gateway.close(0));
  const { port } = gateway.mcpUrl;
  const files = {
    "pinhole.yaml": `server: { port: ${port} }\nsources:\n  self: { mcp: "http://localhost:${port}/mcp", allowPrivate: true }\n  mine: { plugin: ./mine.mjs }\n`,
    "mine.mjs": "export default { source: { name: 'mine' }, registrations: [] };",
  };
  const { code, out } = await createCliFolder(t, { files }).run("doctor");
  assert.equal(code, 1);
  assert.match(out, /WRONG {2}self: It is this gateway itself\./);
  assert.match(out, /ok {5}mine: It loads: 0 operations\./);
});
