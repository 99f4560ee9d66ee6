import { CallError, defineOperation, definePlugin, type OperationContext } from "pinhole/core";

/** What the handlers of the operations below have seen. */
export interface Witness {
  readonly contexts: OperationContext[];
  /** Items that a stream has made, and streams that were let go. */
  made: number;
  released: number;
  /** Called whenever any of this changes. */
  onChange: () => void;
}

/** Operations to be called over a wire, and what they see. */
export function createCallOperations() {
  const witness: Witness = { contexts: [], made: 0, released: 0, onChange: () => {} };
  const see = (context: OperationContext) => {
    witness.contexts.push(context);
    witness.onChange();
  };
  const echo = defineOperation({
    name: "demo/echo",
    type: "query",
    description: "Answers with its input.",
    inputSchema: { type: "object" },
    handler: (input, context) => {
      see(context);
      return input;
    },
  });
  const whoami = defineOperation({
    name: "demo/whoami",
    type: "query",
    description: "Answers who calls.",
    handler: (_input, context) => ({ id: context.principal.id, forwardedFor: context.forwardedFor ?? null }),
  });
  const fail = defineOperation({
    name: "demo/fail",
    type: "mutation",
    description: "Fails with an error of its own.",
    errors: [{ code: "DRY", description: "Nothing is left.", retryable: true }],
    handler: () => {
      throw new CallError("DRY", "Nothing is left.", { details: { since: "noon" } });
    },
  });
  const hang = defineOperation({
    name: "demo/hang",
    type: "query",
    description: "Never answers.",
    handler: (_input, context) => {
      see(context);
      return new Promise(() => {});
    },
  });
  const count = defineOperation({
    name: "demo/count",
    type: "subscription",
    description: "Counts up to a number, or for ever.",
    inputSchema: { type: "object", properties: { to: { type: "integer" }, pad: { type: "integer" } } },
    handler: async function* (input, context) {
      const { to = Number.POSITIVE_INFINITY, pad = 0 } = input as { to?: number; pad?: number };
      see(context);
      try {
        for (let item = 0; item < to; item++) {
          witness.made++;
          yield pad > 0 ? { item, pad: "x".repeat(pad) } : item;
        }
      } finally {
        witness.released++;
        witness.onChange();
      }
    },
  });
  const plugin = definePlugin({ name: "demo", operations: [echo, whoami, fail, hang, count] });

  /** Waits until something holds, looking whenever a handler is entered or left. */
  function until(holds: (witness: Witness) => boolean): Promise<void> {
    return new Promise((resolve) => {
      witness.onChange = () => holds(witness) && resolve();
      witness.onChange();
    });
  }

  return { plugin, witness, until };
}
