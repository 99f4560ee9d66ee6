import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { childEnv } from "../../../../test/support/child-env.ts";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { ROOT } from "../../../../test/support/source-files.ts";
import { startGateway } from "../../../gateway/index.ts";
import { createLog } from "../../../observe/index.ts";

test("subscribe prints a subscription line by line, from a configuration and from a running node", async (t) => {
  const folder = createCliFolder(t);
  const gateway = await startGateway({
    directory: folder.path,
    log: createLog("error"),
    watch: false,
    flags: { port: "0" },
  });
  t.after(() => gateway.close());
  for (const where of [[], ["--url", gateway.url]]) {
    const { code, out } = await folder.run("subscribe", "time/countdown", '{"from": 1}', ...where);
    assert.deepEqual([code, out], [0, "1\n0"]);
    const query = await folder.run("subscribe", "text/stats", "text=a", ...where);
    assert.equal(query.code, 1);
    assert.match(query.errors, /^INVALID_OPERATION_TYPE: .*Call it instead/);
    assert.equal((await folder.run("subscribe", "time/never", ...where)).code, 3);
  }
  assert.equal((await folder.run("subscribe")).code, 2);
});

test("subscribe follows a quiet stream until it is stopped", async (t) => {
  const folder = createCliFolder(t, { files: { "pinhole.yaml": "server: { port: 0 }\n" } });
  const main = join(ROOT, "src/cli/main.ts");
  const env = childEnv();
  const child = spawn(process.execPath, [main, "subscribe", "services/changes"], { cwd: folder.path, env });
  t.after(() => child.kill("SIGKILL"));
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  // As long as another program takes, so that this one would have ended if nothing kept it.
  const other = spawn(process.execPath, [main, "--version"], { cwd: folder.path, env, stdio: "ignore" });
  await once(other, "exit");
  assert.equal(child.exitCode, null);
  child.kill("SIGINT");
  assert.deepEqual(await ended, [0, null]);
});

test("subscribe reports a node that goes away in the middle of a stream as unreachable", async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n", () => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, out, errors } = await createCliFolder(t).run(
    "subscribe",
    "time/countdown",
    "{}",
    "--url",
    url,
  );
  assert.deepEqual([code, out], [6, "1"]);
  assert.match(errors, /cannot be reached: the stream was cut off/);
});
