import assert from "node:assert/strict";
import { test } from "node:test";
import { createCliFolder } from "../../../test/support/cli.ts";
import { createLog, startGateway } from "../../gateway/index.ts";

test("a subscription is followed line by line, here and at a running node", async (t) => {
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
