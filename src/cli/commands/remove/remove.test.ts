import assert from "node:assert/strict";
import { test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";

const MINE = `# mine
sources:
  a: { plugin: ./a.ts }   # stays

  # about b
  b:
    plugin: ./b.ts
log: { level:   warn }
`;

test("remove deletes a source with its comment, and keeps everything else", async (t) => {
  const folder = createCliFolder(t, { files: { "pinhole.yaml": MINE } });
  const { code, out } = await folder.run("remove", "b");
  assert.deepEqual([code, out], [0, "Removed b from pinhole.yaml."]);
  assert.equal(
    folder.read("pinhole.yaml"),
    "# mine\nsources:\n  a: { plugin: ./a.ts }   # stays\n\nlog: { level:   warn }\n",
  );
  assert.equal((await folder.run("remove", "a")).code, 0);
  assert.equal(folder.read("pinhole.yaml"), "# mine\nsources: {}\n\nlog: { level:   warn }\n");
});

test("remove with an unknown name suggests the nearest, and changes nothing", async (t) => {
  const folder = createCliFolder(t, { files: { "pinhole.yaml": MINE.replaceAll("b:", "bookshop:") } });
  const { code, errors } = await folder.run("remove", "bookshp");
  assert.deepEqual([code, errors], [2, 'pinhole.yaml has no source "bookshp". Did you mean bookshop?']);
  assert.equal((await createCliFolder(t).run("remove", "b")).code, 2);
  assert.equal((await folder.run("remove")).code, 2);
});
