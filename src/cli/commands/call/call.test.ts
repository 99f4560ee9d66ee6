import assert from "node:assert/strict";
import { test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { startGateway } from "../../../gateway/index.ts";

test("call takes pairs, JSON or a file as input, and the schema decides the type of a value", async (t) => {
  const folder = createCliFolder(t, { files: { "in.json": '{"text": "a b c"}' } });
  for (const input of [["text=a b c"], ['{"text": "a b c"}'], ["@in.json"]]) {
    const { code, out } = await folder.run("call", "text/stats", ...input, "--select", "words");
    assert.deepEqual([code, out], [0, "3"]);
  }
  const { out } = await folder.run("call", "text/stats", "text=007", "--select", "characters");
  assert.equal(out, "3", "a number is a text where texts are wanted");
  const nested = await folder.run(
    "call",
    "shop/orderBook",
    "body.isbn=9780141439471",
    "body.copies=2",
    "--json",
  );
  assert.equal(JSON.parse(nested.out).output.total, 13);
});

test("the exit code of call tells kinds of failure apart", async (t) => {
  const folder = createCliFolder(t);
  const codeOf = async (...line: string[]) => (await folder.run(...line)).code;
  assert.equal(await codeOf("call", "time/never"), 3);
  assert.equal(await codeOf("call", "text/stats", "txt=a"), 5);
  assert.equal(await codeOf("call", "time/now", "timeZone=Mars"), 1);
  assert.equal(await codeOf("call", "time/now", "--url", "http://127.0.0.1:9"), 6);
  assert.equal(await codeOf("call", "time/never", "--json"), 3);
  for (const line of [
    ["call"],
    ["call", "text/stats", "{"],
    ["call", "text/stats", "a", "b"],
    ["call", "x/y", "@gone"],
  ])
    assert.equal(await codeOf(...line), 2, line.join(" "));
});

test("subscribe prints items line by line, and call on a subscription says to use it", async (t) => {
  const folder = createCliFolder(t);
  const { code, out } = await folder.run("call", "time/countdown", "from=0", "--follow");
  assert.deepEqual([code, out], [0, "0"]);
  const { errors } = await folder.run("call", "time/countdown", "from=1");
  assert.match(errors, /^INVALID_OPERATION_TYPE: .*\nHere: .* pinhole subscribe for a stream\.$/);
  assert.equal((await folder.run("call", "time/never", "--follow")).code, 3);
});

test("batch prints its results in order and fails if one of them does", async (t) => {
  const folder = createCliFolder(t);
  const calls = JSON.stringify([
    { operation: "text/digest", input: { text: "" } },
    { operation: "time/never" },
  ]);
  const { code, out } = await folder.run("batch", calls);
  assert.equal(code, 1);
  assert.match(out, /^text\/digest\ne3b0c442[0-9a-f]{56}\n\ntime\/never {2}failed\nNOT_FOUND: /);
  assert.equal((await folder.run("batch", '[{"operation": "time/now"}]', "--json")).code, 0);
  assert.equal((await folder.run("batch", "{}")).code, 2);
});

test("schema shows the input key by key, with a command to type", async (t) => {
  const folder = createCliFolder(t);
  const { code, out } = await folder.run("schema", "shop/orderBook");
  assert.equal(code, 0);
  assert.match(out, /^shop\/orderBook {2}mutation\n {2}Orders copies of a book\nInput:\n/);
  assert.match(out, /\n {2}body\.isbn {5}string\n {2}body\.copies\? {2}integer\nOutput: order\nErrors:\n/);
  const missing = await folder.run("schema", "time/now", "time/never");
  assert.deepEqual(
    [missing.code, missing.errors],
    [3, "There is no time/never. To find one: pinhole search …"],
  );
  assert.match(missing.out, /^time\/now {2}query/);
});

test("search, schema, call and batch ask a running node with its token", async (t) => {
  const folder = createCliFolder(t, { env: { PINHOLE_TOKEN: "wrong" } });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const gateway = await startGateway({ directory: folder.path, flags: { port: "0" }, log });
  t.after(() => gateway.close());
  const url = ["--url", `${gateway.url}/mcp`];
  assert.equal((await folder.run("call", "time/now", ...url)).code, 4, "a wrong token is refused");
  const free = createCliFolder(t, { env: { PINHOLE_URL: gateway.url } });
  assert.match((await free.run("search", "find a book")).out, /^shop\/findBooks\(/);
  assert.match((await free.run("schema", "time/now")).out, /^time\/now {2}query/);
  assert.equal((await free.run("call", "text/stats", "text=a b", "--select", "words")).out, "2");
  assert.match(
    (await free.run("batch", '[{"operation": "time/now", "select": "timeZone"}]')).out,
    /^time\/now\nUTC$/,
  );
  const followed = await free.run("call", "shop/trackOrder", "id=1", "--follow");
  assert.deepEqual(
    followed.out.split("\n").map((line) => JSON.parse(line).status),
    ["packed", "shipped", "delivered"],
  );
  const gone = await free.run("call", "shop/trackOrder", "id=none", "--follow");
  assert.deepEqual([gone.code, gone.out], [1, ""]);
  assert.match(gone.errors, /^HTTP_404: /);
});

test("call without a required token says how to send one", async (t) => {
  const config = `identities: [{ id: ci, tokenHash: "sha256:${"0".repeat(64)}" }]\naccess: { anonymous: false }\n`;
  const { path } = createCliFolder(t, { files: { "pinhole.yaml": config } });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const gateway = await startGateway({ directory: path, flags: { port: "0" }, log });
  t.after(() => gateway.close());
  const folder = createCliFolder(t, { env: { PINHOLE_URL: gateway.url } });
  for (const verb of ["call", "subscribe"]) {
    const { code, errors } = await folder.run(verb, "time/now");
    assert.equal(code, 4);
    assert.match(
      errors,
      /^FORBIDDEN: .* Put one into PINHOLE_TOKEN, or name its variable with --token-env\.$/,
    );
  }
  const wrong = createCliFolder(t, { env: { PINHOLE_URL: "node" } });
  assert.match((await wrong.run("search")).errors, /^PINHOLE_URL: "node" is not a URL/);
});

test("call refuses a repeated key and says how to write a list", async (t) => {
  const { code, errors } = await createCliFolder(t).run("call", "text/stats", "text=a", "text=b");
  assert.equal(code, 2);
  assert.equal(errors, `text is given twice. A list is written as JSON: 'text=["one", "two"]'.`);
});
