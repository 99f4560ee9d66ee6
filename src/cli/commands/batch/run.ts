import { textOfOutput } from "../../call-operation.ts";
import { type Invocation, type Outcome, UsageError } from "../../command.ts";
import { readJson } from "../../input.ts";
import { outputOf, withNode } from "../../node.ts";

interface Result {
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Runs several calls and prints their results in order. */
export async function runBatchOf(invocation: Invocation): Promise<Outcome> {
  const { arguments: given, switches, terminal } = invocation;
  if (given.calls === undefined)
    throw new UsageError(`Say which calls: pinhole batch '[{"operation": "time/now"}]', @FILE or -`);
  const calls = callsIn(await readJson(invocation, given.calls));
  const answer = outputOf(await withNode(invocation, (node) => node.ask("batch", { calls })));
  const results = (answer.results ?? []) as readonly Result[];
  if (switches.has("json")) terminal.print(JSON.stringify(answer, null, 2));
  else
    terminal.print(results.map((result, index) => textOfResult(result, nameOf(calls[index]))).join("\n\n"));
  return results.some(({ error }) => error !== undefined) ? 1 : 0;
}

function callsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { calls } = (value ?? {}) as { readonly calls?: unknown };
  if (Array.isArray(calls)) return calls;
  throw new UsageError('The calls are a list: [{"operation": "time/now"}].');
}

function textOfResult({ output, error }: Result, name: string): string {
  return error ? `${name}  failed\n${error.code}: ${error.message}` : `${name}\n${textOfOutput(output)}`;
}

function nameOf(call: unknown): string {
  const { operation } = (call ?? {}) as { readonly operation?: unknown };
  return typeof operation === "string" ? operation : "?";
}
