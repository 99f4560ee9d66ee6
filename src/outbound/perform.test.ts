import assert from "node:assert/strict";
import { test } from "node:test";
import type { Incoming } from "./incoming.ts";
import { OutboundError } from "./outbound-error.ts";
import { toOutgoing } from "./outgoing.ts";
import { perform } from "./perform.ts";

/** How a request fails whose first answer is a redirect, and that cannot be sent on. */
async function failureAfter(method: string, status: number): Promise<OutboundError> {
  const request = await toOutgoing({ method, url: "https://api.example/x" });
  const redirect: Incoming = { status, statusText: "", headers: { location: "/y" }, body: undefined };
  let sent = 0;
  const exchange = async () => {
    if (sent++ === 0) return redirect;
    throw new OutboundError("refused", "Nobody is there.");
  };
  return perform(request, "follow", { exchange, maxRedirects: 3 }).then(
    () => assert.fail("It went well."),
    (error) => error,
  );
}

test("a request that was answered with where to look has run, even if nobody is there any more", async () => {
  for (const [method, status, mayHaveRun] of [
    ["POST", 303, true],
    ["POST", 302, true],
    ["POST", 307, false],
    ["POST", 308, false],
    ["GET", 303, false],
  ] as const) {
    const error = await failureAfter(method, status);
    assert.deepEqual(
      [error.kind, error.mayHaveRun, error.happened],
      ["refused", mayHaveRun, "Nobody is there."],
    );
  }
});
