import { defineOperation, definePlugin, type OperationContext } from "pinhole/core";

/** Operations that wait until they are released, and operations that ask; and what became of those that wait. */
export function createSessionWork() {
  const running = new Map<string, () => void>();
  const aborted: string[] = [];
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const look of watchers) look();
  };
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });

  const wait = defineOperation({
    name: "work/wait",
    type: "mutation",
    description: "Waits until it is released.",
    inputSchema: NAMED,
    handler: ({ name }, { signal }) =>
      new Promise((resolve) => {
        running.set(name, () => resolve(name));
        signal.addEventListener("abort", () => {
          aborted.push(name);
          resolve("aborted");
          changed();
        });
        changed();
      }),
  });
  const ask = defineOperation({
    name: "work/ask",
    type: "mutation",
    description: "Asks for something.",
    inputSchema: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] } as const,
    handler: ({ topic }, context) => question(context, topic),
  });
  const askTwice = defineOperation({
    name: "work/ask-twice",
    type: "mutation",
    description: "Asks for one thing after another.",
    handler: async (_input, context) => [await question(context, "first"), await question(context, "second")],
  });
  const plain = defineOperation({
    name: "work/plain",
    type: "query",
    description: "Answers at once.",
    handler: () => "plain",
  });

  return {
    plugin: definePlugin({ name: "work", operations: [wait, ask, askTwice, plain] }),
    /** Resolves when the call of that name runs. */
    running: (name: string) => until(() => running.has(name)),
    /** Resolves when the call of that name has been aborted. */
    aborted: (name: string) => until(() => aborted.includes(name)),
    abortedNames: () => aborted as readonly string[],
    /** Lets all calls go on that wait. */
    release() {
      for (const resolve of running.values()) resolve();
    },
  };
}

const NAMED = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

const VALUE = { type: "object", properties: { value: { type: "string" } }, required: ["value"] };

async function question({ requestInput }: OperationContext, topic: string): Promise<unknown> {
  const { action, content } = await requestInput({ key: topic, message: `Which ${topic}?`, schema: VALUE });
  return action === "accept" ? (content as { value: string }).value : action;
}
