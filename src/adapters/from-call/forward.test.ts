import assert from "node:assert/strict";
import { test } from "node:test";
import { CallError, type OperationContext, type OperationSpec } from "../../core/index.ts";
import type { Connection } from "../../protocol/index.ts";
import { forwardingHandler } from "./forward.ts";

const CONTEXT = {
  requestId: "r1",
  principal: { id: "ada" },
  capabilities: { get: () => undefined },
  hops: [],
  signal: new AbortController().signal,
} as unknown as OperationContext;

/** How a call ends here that ended so at the other node. */
async function told(thrown: CallError): Promise<{ readonly error: unknown; readonly stale: number }> {
  let stale = 0;
  const connection = { call: () => Promise.reject(thrown) } as unknown as Connection;
  const link = {
    where: "The peer west",
    hopOf: () => "hub",
    timeoutMs: 1_000,
    connection: () => connection,
    onStale: () => stale++,
  };
  const spec = { name: "west/lab/ask", type: "query" } as OperationSpec;
  const handler = forwardingHandler(spec, "lab/ask", link);
  assert.ok(handler.kind === "once");
  const error = await (handler.run({}, CONTEXT) as Promise<unknown>).catch((error: unknown) => error);
  return { error, stale };
}

test("errors of another node about a call are passed on, and errors about this node are converted", async () => {
  const asks = new CallError("INVALID_OPERATION_TYPE", "lab/ask asks for input while it runs.");
  assert.deepEqual(await told(asks), { error: asks, stale: 1 });
  const codes: unknown[] = [];
  for (const code of ["NOT_FOUND", "FORBIDDEN", "INVALID_INPUT"] as const)
    codes.push(((await told(new CallError(code, "No."))).error as CallError).code);
  assert.deepEqual(codes, ["UNAVAILABLE", "UNAUTHORIZED_UPSTREAM", "INVALID_INPUT"]);
});
