import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CALL_PATH } from "../../src/projections/to-call/index.ts";
import {
  CALL_PROTOCOL,
  CREDIT_WINDOW,
  DEFAULT_LIMITS,
  FrameReader,
  MAX_ENVELOPE_BYTES,
  MAX_HOPS,
  toCloseFrame,
  toFrame,
} from "../../src/protocol/index.ts";
import { MAX_BYTES_HEADER } from "../../src/protocol/transports/index.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/call-protocol.md"), "utf8");

test("the numbers and names of the text are those of the code", () => {
  const number = (value: number) => value.toLocaleString("en");
  for (const sentence of [
    `has 1 to ${number(MAX_ENVELOPE_BYTES)} bytes (64 MiB)`,
    `at most ${DEFAULT_LIMITS.maxNesting} levels deep`,
    `starts with a credit of ${CREDIT_WINDOW}`,
    `${CREDIT_WINDOW / 2} after each ${CREDIT_WINDOW / 2} items`,
    `for ${DEFAULT_LIMITS.slowConsumerMs / 1000} seconds gets \`call.error\` with SLOW_CONSUMER`,
    `Beyond ${number(DEFAULT_LIMITS.maxIncomingCalls)} calls`,
    `or ${DEFAULT_LIMITS.maxHeldBytes / 1024 / 1024} MiB of their requests`,
    `\`${MAX_BYTES_HEADER}\``,
    `nothing was taken off the wire for ${DEFAULT_LIMITS.stalledMs / 1000} seconds`,
    `or ${MAX_HOPS} ids and more`,
    `at \`${CALL_PATH}\``,
    `\`${CALL_PROTOCOL}\``,
  ]) {
    assert.ok(text.includes(sentence), `docs/call-protocol.md does not say: ${sentence}`);
  }
  for (const code of ["closed", "leaving", "protocol", "stalled"] as const) {
    assert.match(text, new RegExp(`^\\| ${toCloseFrame({ code, message: "" }).code} \\|`, "m"));
  }
});

test("the bytes that the text shows are frames", () => {
  const [, hex = "", envelope = "", size] =
    /^ {4}((?:[0-9a-f]{2} ){4}) ({.*}) +\((\d+) bytes\)$/m.exec(text) ?? assert.fail("no frame is shown");
  const shown = Buffer.concat([Buffer.from(hex.replaceAll(" ", ""), "hex"), Buffer.from(envelope)]);
  assert.deepEqual(shown, Buffer.from(toFrame(envelope)));
  assert.equal(Number(size), envelope.length);

  const [, length = "", request = ""] =
    /printf '\\0\\0\\0\\x([0-9a-f]{2})({.*})'/.exec(text) ?? assert.fail();
  const bytes = Buffer.concat([Buffer.from([0, 0, 0, Number.parseInt(length, 16)]), Buffer.from(request)]);
  assert.equal([...new FrameReader().push(bytes)].length, 1);
});
