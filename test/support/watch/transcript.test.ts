import assert from "node:assert/strict";
import { test } from "node:test";
import { createTranscript } from "./transcript.ts";

test("a secret that left is found, wherever it stands, and is not repeated", () => {
  const transcript = createTranscript();
  transcript.secret("correct horse battery");
  transcript.secret("another one, not in it");
  transcript.secret("short");
  transcript.gaveAway("x".repeat(4_194_290));
  transcript.gaveAway('{"header": "Bearer correct horse battery", "word": "short"}');
  const { secrets, found, bytes } = transcript.scan();
  assert.deepEqual([secrets, found.length, bytes > 4_194_304], [2, 1, true]);
  assert.match(found[0] ?? "", /"Bearer \[a secret of 21 characters\]"/);
});

test("nothing is found where nothing left", () => {
  const transcript = createTranscript();
  transcript.secret("correct horse battery");
  transcript.gaveAway("correct horse");
  assert.deepEqual(transcript.scan().found, []);
});
