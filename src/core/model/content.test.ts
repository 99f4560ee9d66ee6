import assert from "node:assert/strict";
import { test } from "node:test";
import { createSchemaValidator } from "../../formats/index.ts";
import { CONTENT_OUTPUT, isContentOutput } from "./content.ts";
import { signatureOf } from "./signature.ts";

test("an output is content when it is nothing but whole content blocks", () => {
  const blocks = [
    { type: "text", text: "hi" },
    { type: "image", data: "aGk=", mimeType: "image/png", annotations: { audience: ["user"] } },
    { type: "audio", data: "aGk=", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///x", name: "x" },
    { type: "resource", resource: { uri: "file:///x", text: "x" } },
    { type: "resource", resource: { uri: "file:///x", blob: "eA==" } },
  ];
  assert.ok(isContentOutput({ content: blocks }));
});

test("data that only resembles content stays data", () => {
  for (const output of [
    null,
    "text",
    [{ type: "text", text: "hi" }],
    { content: [] },
    { content: "text" },
    { content: [{ type: "text", text: "hi" }], title: "a page" },
    { content: [{ type: "text" }] },
    { content: [{ type: "paragraph", text: "hi" }] },
    { content: [{ type: "constructor" }] },
    { content: [{ type: "image", data: 7, mimeType: "image/png" }] },
    { content: [{ type: "resource", resource: { uri: "x" } }] },
    { content: [null] },
  ]) {
    assert.equal(isContentOutput(output), false, JSON.stringify(output));
  }
});

const problemsOf = (output: unknown) => createSchemaValidator().check(CONTENT_OUTPUT, output);

test("a signature shows that content has text", () => {
  assert.equal(
    signatureOf({ inputSchema: true, outputSchema: CONTENT_OUTPUT }),
    "() → {content: [{type, text?}]}",
  );
});

test("what a block of a known kind holds is checked", () => {
  for (const block of [
    { type: "text", text: 7 },
    { type: "image", data: null, mimeType: "image/png" },
    { type: "audio", data: "aGk=", mimeType: 1 },
    { type: "resource_link", uri: {}, name: "x" },
    { type: "resource", resource: { uri: "file:///x", text: [] } },
  ]) {
    assert.equal(problemsOf({ content: [block] }).length > 0, true, JSON.stringify(block));
  }
});

test("answers of real servers fit the schema of content: other kinds, extra keys, data of any shape", () => {
  const meta = { _meta: { "example.com/id": 1 }, annotations: { audience: ["user"], priority: 1 } };
  for (const output of [
    { content: [{ type: "text", text: "hi", ...meta }] },
    { content: [{ type: "resource", resource: { uri: "x:y", blob: "eA==", _meta: {} }, ...meta }] },
    { content: [{ type: "resource_link", uri: "x:y", name: "x", size: 3, icons: [] }] },
    { content: [{ type: "video", data: 1 }] },
    { content: [] },
    { content: "the text of a file" },
    { content: ["a", 1, null] },
    { content: [{ type: "image", url: "https://example.com/i.png" }], more: 1 },
    { sum: 3 },
    [1, 2],
    "text",
    null,
  ]) {
    assert.deepEqual(problemsOf(output), [], JSON.stringify(output));
  }
});
