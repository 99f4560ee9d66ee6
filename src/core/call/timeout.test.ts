import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../runtime.ts";
import type { OperationContext, OperationSpec, Registration } from "../model/index.ts";
import { CallError, defineOperation } from "../model/index.ts";

const READS = { type: "query" } as const;
const WRITES = { type: "mutation" } as const;

type Kind = Partial<OperationSpec> & { readonly type: "query" | "mutation" };

function operation(name: string, kind: Kind, run: (context: OperationContext) => unknown): Registration {
  return defineOperation({
    name: `demo/${name}`,
    description: "For a test.",
    composes: ["demo/*"],
    handler: (_input, context) => run(context),
    ...kind,
  });
}

/** The clocks that can end a call: the caller's, and one further away, whose TIMEOUT says this or that. */
const CLOCKS: Readonly<Record<string, (context: OperationContext) => unknown>> = {
  "the deadline": () => new Promise(() => {}),
  "a source that says it may be repeated": () => {
    throw new CallError("TIMEOUT", "late", { retryable: true });
  },
  "a source that says it may not": () => {
    throw new CallError("TIMEOUT", "late", { retryable: false });
  },
};

async function retryable(registrations: readonly Registration[]): Promise<boolean> {
  const { dispatch } = createRuntime({ sources: [{ source: { name: "test" }, registrations }] });
  const [first] = registrations;
  const call = { operation: first?.spec.name ?? "" };
  const error = await dispatch.invoke(call, { deadlineMs: 20 }).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof CallError && error.code === "TIMEOUT", String(error));
  return error.retryable;
}

for (const [clock, run] of Object.entries(CLOCKS)) {
  test(`TIMEOUT by ${clock} is retryable exactly where running twice does no harm`, async () => {
    const hinted = { ...WRITES, annotations: { idempotentHint: true } } as const;
    const { scopedEnv: _, ...leaf } = operation("x", hinted, run);
    const imported = { ...leaf, provenance: "from-mcp" } as const;
    assert.equal(await retryable([operation("x", READS, run)]), true);
    assert.equal(await retryable([operation("x", WRITES, run)]), false);
    assert.equal(await retryable([operation("x", hinted, run)]), true);
    assert.equal(await retryable([operation("x", { ...WRITES, idempotent: true }, run)]), true);
    assert.equal(await retryable([imported]), false, "a hint that nobody trusts");
    assert.equal(await retryable([{ ...imported, trustsHints: true }]), true);
  });

  test(`a composition that ${clock} ends is retryable where nothing in it has begun that writes`, async () => {
    const child = (kind: Kind) => operation("child", kind, run);
    const composing = (kind: Kind) => operation("top", kind, ({ env }) => env.invoke("demo/child"));
    assert.equal(await retryable([composing(READS), child(READS)]), true);
    assert.equal(await retryable([composing(READS), child(WRITES)]), false);
    assert.equal(await retryable([composing(WRITES), child(READS)]), false);
  });
}

test("a stream that its deadline ends is retryable where it only reads", async () => {
  for (const mutates of [false, true]) {
    const stream = defineOperation({
      name: "demo/stream",
      type: "subscription",
      description: "For a test.",
      mutates,
      async *handler() {
        await new Promise(() => {});
      },
    });
    const sources = [{ source: { name: "test" }, registrations: [stream] }];
    const { dispatch } = createRuntime({ sources });
    const items = await dispatch.invokeStreaming({ operation: "demo/stream" }, { deadlineMs: 20 });
    const error = (await items.next().catch((thrown: unknown) => thrown)) as CallError;
    assert.deepEqual([error.code, error.retryable], ["TIMEOUT", !mutates]);
  }
});
