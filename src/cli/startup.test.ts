import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { childEnv } from "../../test/support/child-env.ts";
import { packageVersion } from "../config/index.ts";

const TELL = `data:text/javascript,${encodeURIComponent(
  'import { registerHooks } from "node:module"; registerHooks({ load(url, context, next) { process.stderr.write(url + "\\n"); return next(url, context); } });',
)}`;

test("help and version load nothing but the command line", async () => {
  const env = childEnv();
  const own = pathToFileURL(join(import.meta.dirname, "/")).href;
  for (const line of [["--version"], ["--help"], ["help", "call"], ["completion", "--help"]]) {
    const main = join(import.meta.dirname, "main.ts");
    const { stderr } = await promisify(execFile)(process.execPath, ["--import", TELL, main, ...line], {
      env,
    });
    const foreign = stderr.split("\n").filter((url) => url.startsWith("file:") && !url.startsWith(own));
    assert.deepEqual(foreign, [], line.join(" "));
    assert.match(stderr, /cli\/main\.ts\n/);
  }
});

test("the command line and the gateway say the same version", async () => {
  const main = join(import.meta.dirname, "main.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [main, "--version"], { env: childEnv() });
  assert.equal(stdout.trim(), packageVersion());
});
