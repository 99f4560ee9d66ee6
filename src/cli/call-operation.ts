import { CallError } from "../core/index.ts";
import type { PinholeNode } from "../operator/node/index.ts";
import { type Invocation, type Outcome, UsageError } from "./command.ts";
import { readInput } from "./input.ts";
import { exitCodeFor, outputOf, withNode } from "./node.ts";

const A_DAY_MS = 86_400_000;

/** Calls one operation and prints its output. */
export function runCall(invocation: Invocation): Promise<Outcome> {
  const run = invocation.switches.has("follow") ? follow : once;
  return withCall(invocation, "pinhole call text/stats text='two words'", run);
}

/** Follows a subscription and prints each item. */
export function runSubscribe(invocation: Invocation): Promise<Outcome> {
  return withCall(invocation, "pinhole subscribe time/countdown from=3", follow);
}

async function withCall(
  invocation: Invocation,
  example: string,
  run: (invocation: Invocation, node: PinholeNode, call: object) => Promise<Outcome>,
): Promise<Outcome> {
  const { words, options } = invocation;
  const [operation, ...given] = words;
  if (operation === undefined) throw new UsageError(`Say which operation: ${example}`);
  return withNode(invocation, async (node) => {
    const input = await readInput(invocation, given, () => schemaOf(node, operation));
    const call = {
      operation,
      ...(input !== undefined && { input }),
      ...(options.select !== undefined && { select: options.select }),
    };
    return run(invocation, node, call);
  });
}

async function once({ switches, terminal }: Invocation, node: PinholeNode, call: object): Promise<Outcome> {
  const answer = await node.ask("call", call);
  if (!switches.has("json")) {
    terminal.print(textOfOutput(outputOf(answer).output));
    return undefined;
  }
  terminal.print(JSON.stringify(answer, null, 2));
  return answer.error === undefined ? 0 : exitCodeFor(answer.error);
}

async function follow({ terminal, stop }: Invocation, node: PinholeNode, call: object): Promise<undefined> {
  // A quiet stream may have nothing that keeps the program alive.
  const awake = setInterval(() => {}, A_DAY_MS);
  try {
    for await (const item of node.follow(call)) {
      terminal.print(JSON.stringify(item));
      if (terminal.gone.aborted) break;
    }
  } catch (error) {
    // Stopping an endless stream is not a failure.
    if (stop.aborted) return undefined;
    if (error instanceof CallError) outputOf({ error: error.toJSON() });
    throw error;
  } finally {
    clearInterval(awake);
  }
  return undefined;
}

async function schemaOf(node: PinholeNode, operation: string): Promise<unknown> {
  const answer = await node.ask("schema", { name: operation });
  if (answer.error !== undefined) return undefined;
  return (answer.operations as readonly { readonly inputSchema?: unknown }[] | undefined)?.[0]?.inputSchema;
}

/** An output for people: strings unchanged, MCP content block by block, everything else as JSON. */
export function textOfOutput(output: unknown): string {
  if (typeof output === "string") return output;
  const content = contentOf(output);
  return content ? content.map(textOfBlock).join("\n") : (JSON.stringify(output, null, 2) ?? "");
}

interface Block {
  readonly type: string;
  readonly text?: unknown;
  readonly mimeType?: unknown;
  readonly data?: unknown;
}

function contentOf(output: unknown): readonly Block[] | undefined {
  if (typeof output !== "object" || output === null || Object.keys(output).length !== 1) return undefined;
  const { content } = output as { readonly content?: unknown };
  const isBlock = (each: unknown) => typeof each === "object" && each !== null && "type" in each;
  return Array.isArray(content) && content.every(isBlock) ? (content as readonly Block[]) : undefined;
}

function textOfBlock(block: Block): string {
  if (block.type === "text" && typeof block.text === "string") return block.text;
  if (typeof block.data !== "string") return JSON.stringify(block, null, 2);
  const bytes = Math.floor((block.data.length * 3) / 4);
  return `[${block.type}, ${String(block.mimeType ?? "unknown kind")}, about ${bytes} bytes; --json prints it]`;
}
