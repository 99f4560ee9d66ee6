import assert from "node:assert/strict";
import { test } from "node:test";
import { followReadme, serveExample } from "../../test/support/example.ts";

test("a plugin with local operations does what its README says", async (t) => {
  const { url } = await serveExample(t, import.meta.dirname);
  assert.equal(await followReadme(t, import.meta.dirname, url), 5);
});
