import { CommandFailed, type Invocation, type Outcome, UsageError } from "../../command.ts";
import { outputOf, withNode } from "../../node.ts";
import { CALL_EXIT } from "../../options.ts";
import { type ShownSpec, textOfSpec } from "../../spec-text.ts";

/** Prints the specs of some operations. */
export async function runSchema(invocation: Invocation): Promise<Outcome> {
  const { words, switches, terminal } = invocation;
  if (words.length === 0)
    throw new UsageError("Say which operation: pinhole schema text/stats. To find one: pinhole search …");
  const { requestId: _, ...answer } = outputOf(
    await withNode(invocation, (node) => node.ask("schema", { names: words })),
  );
  const operations = (answer.operations ?? []) as readonly ShownSpec[];
  const missing = (answer.missing ?? []) as readonly string[];
  if (switches.has("json")) {
    terminal.print(JSON.stringify(answer, null, 2));
    return missing.length > 0 ? CALL_EXIT.notFound : undefined;
  }
  if (operations.length > 0)
    terminal.print(
      [
        ...operations.map((spec) => textOfSpec(spec, terminal.emphasise)),
        ...(typeof answer.note === "string" ? [answer.note] : []),
      ].join("\n\n"),
    );
  if (missing.length === 0) return undefined;
  const names = missing.join(", ");
  throw new CommandFailed(CALL_EXIT.notFound, `There is no ${names}. To find one: pinhole search …`);
}
