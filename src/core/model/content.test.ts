import assert from "node:assert/strict";
import { test } from "node:test";
import { isContentOutput } from "./content.ts";

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
