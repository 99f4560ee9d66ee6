import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { freePort } from "../support/free-port.ts";
import { noPseudoTerminal, openPseudoTerminal } from "../support/pseudo-terminal.ts";
import { EVERYTHING, reasonToSkip, startRealServer } from "../support/real-servers.ts";
import { ROOT } from "../support/source-files.ts";

const CTRL_C = "\x03";
const CTRL_D = "\x04";

async function emptyFolder(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "pinhole-newcomer-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const pinhole = (...line: string[]) =>
    openPseudoTerminal([process.execPath, join(ROOT, "src/cli/main.ts"), ...line], folder);
  return { folder, pinhole };
}

test("a newcomer at a terminal gets from an empty folder to an agent that searches and calls a real server", {
  skip: noPseudoTerminal() || reasonToSkip(EVERYTHING),
}, async (t) => {
  const server = await startRealServer(EVERYTHING);
  t.after(() => server.stop());
  const { folder, pinhole } = await emptyFolder(t);
  const port = await freePort();

  const init = pinhole("init");
  await init.sees(/Port to listen on \[7464\]: $/);
  init.type(`${port}\n`);
  await init.sees(/Require a token\?.*\[n\]: $/);
  init.type("\n");
  await init.sees(/so that editors complete and check pinhole\.yaml.*\[n\]: $/);
  init.type("y\n");
  await init.sees(/Wrote pinhole\.yaml and pinhole\.schema\.json\./);
  assert.equal(await init.ended(), 0);

  const add = pinhole("add", "everything", server.url.href);
  await add.sees(/An MCP server: .*Everything/);
  await add.sees(/everything\/echo +mutation/);
  await add.sees(/Written into pinhole\.yaml:/);
  assert.equal(await add.ended(), 0);
  const config = await readFile(join(folder, "pinhole.yaml"), "utf8");
  assert.match(config, /^# yaml-language-server: .*\n# Pinhole is a gateway between/);
  assert.match(config, /\n {2}everything:\n {4}mcp: http:\/\/127\.0\.0\.1:\d+\/mcp\n/);

  const doctor = pinhole("doctor");
  await doctor.sees(/everything: It answers: \d+ operations/);
  assert.equal(await doctor.ended(), 0);

  const serve = pinhole("serve");
  const [, url = ""] = await serve.sees(/listens on (http:\/\/127\.0\.0\.1:\d+\/mcp)\n/);
  assert.equal(new URL(url).port, String(port));
  await askAsAgent(url);
  serve.type(CTRL_C);
  await serve.sees(/Stopping: running calls may finish\./);
  assert.equal(await serve.ended(), 0);
});

/** Over real MCP, by the official client: four tools, one found, one called. */
async function askAsAgent(url: string): Promise<void> {
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["search", "schema", "call", "batch"],
  );
  const found = await client.callTool({ name: "search", arguments: { query: "echo a message back" } });
  const { operations } = found.structuredContent as { operations: { name: string; signature: string }[] };
  assert.equal(operations[0]?.name, "everything/echo");
  assert.match(operations[0]?.signature ?? "", /message: string/);
  const answer = await client.callTool({
    name: "call",
    arguments: { operation: "everything/echo", input: { message: "hello" } },
  });
  assert.deepEqual(answer.content, [{ type: "text", text: "Echo: hello" }]);
  await client.close();
}

test("at a terminal, what takes long is shown in one line that goes away", {
  skip: noPseudoTerminal(),
}, async (t) => {
  let answer = () => {};
  const server = createServer((_, response) => {
    answer = () => response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { pinhole } = await emptyFolder(t);
  const add = pinhole("add", "slow", `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`);
  await add.sees(/Looking at http:\S+ … 1 s/);
  server.removeAllListeners("request").on("request", (_, response) => response.writeHead(404).end());
  answer();
  await add.sees(/neither an OpenAPI document nor an MCP server/);
  assert.equal(await add.ended(), 1);
  const afterwards = add.raw().slice(add.raw().lastIndexOf("Looking at"));
  assert.ok(afterwards.includes("\r\x1b[2K"), "the line is wiped before the answer comes");
});

test("a person who presses Ctrl-C while something takes long does not wait for it", {
  skip: noPseudoTerminal(),
}, async (t) => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { folder, pinhole } = await emptyFolder(t);
  const { port } = silent.address() as AddressInfo;
  const source = `{ mcp: "http://127.0.0.1:${port}/mcp", allowPrivate: true, external: "*" }`;
  await writeFile(join(folder, "pinhole.yaml"), `sources: { silent: ${source} }\n`);
  const call = ["call", "other/operation"];
  for (const line of [
    ["doctor"],
    ["lock"],
    ["surface"],
    call,
    ["batch", "[]"],
    ["subscribe", "a/b"],
    ["serve"],
  ]) {
    const long = pinhole(...line);
    await long.sees(/ … 1 s/);
    long.type(CTRL_C);
    assert.equal(await long.ended(), 130, line.join(" "));
    assert.doesNotMatch(long.screen(), /silent/, "nothing is told of what was not waited for");
  }
});

test("a stream whose reader has gone ends", { skip: noPseudoTerminal() }, async (t) => {
  const { folder } = await emptyFolder(t);
  const program = `'${process.execPath}' '${join(ROOT, "src/cli/main.ts")}'`;
  // It would take an hour to count down.
  const line = `${program} subscribe time/countdown from=3600 | head -n 2; echo "ended"`;
  const shell = openPseudoTerminal(["sh", "-c", line], folder);
  await shell.sees(/3600\n3599\nended\n/);
  assert.equal(await shell.ended(), 0);
});

test("a person who presses Ctrl-C or Ctrl-D at a question leaves nothing behind", {
  skip: noPseudoTerminal(),
}, async (t) => {
  const { folder, pinhole } = await emptyFolder(t);
  for (const [key, code] of [
    [CTRL_C, 130],
    [CTRL_D, 1],
  ] as const) {
    const init = pinhole("init");
    await init.sees(/Port to listen on \[7464\]: $/);
    init.type(key);
    assert.equal(await init.ended(), code);
    await assert.rejects(readFile(join(folder, "pinhole.yaml")), { code: "ENOENT" });
  }
});
