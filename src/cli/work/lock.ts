import { type Difference, type LockReview, reviewLock } from "../../gateway/index.ts";
import type { Invocation } from "../command.ts";
import { configOptionsOf } from "../config-options.ts";
import { withProgress } from "../progress.ts";
import { askYesNo } from "../questions.ts";

const SHOWN = 100;

/** Shows what differs from the lock and, where it is allowed to, accepts it. */
export async function runLock(invocation: Invocation): Promise<number | undefined> {
  const { terminal, switches } = invocation;
  const options = await configOptionsOf(invocation);
  const review = await withProgress(terminal, "Reading the sources", () => reviewLock(options));
  const { differences, failed, path, definitions } = review;
  for (const { source, reason } of failed)
    terminal.printError(`${source} could not be looked at; what was accepted of it stays. ${reason}`);
  if (differences.length === 0) {
    terminal.print(
      definitions === 0
        ? "There is nothing to accept: no source brings in an operation."
        : `${definitions} definitions, all as they were accepted in ${path}.`,
    );
    return failed.length > 0 ? 1 : undefined;
  }
  terminal.print(textOf(differences, terminal.emphasise));
  if (switches.has("check")) {
    terminal.print("Run pinhole lock to accept them.");
    return 1;
  }
  return (await accepts(invocation, review)) ? undefined : 1;
}

async function accepts(invocation: Invocation, review: LockReview): Promise<boolean> {
  const { terminal, switches } = invocation;
  const isAccepted =
    switches.has("yes") ||
    (await askYesNo(invocation, {
      text: "Accept all of this",
      fallback: false,
      instead: "--yes to accept it, or --check to only look",
    }));
  if (isAccepted) review.accept();
  terminal.print(isAccepted ? `Accepted; written to ${review.path}.` : "Nothing was accepted.");
  return isAccepted;
}

function textOf(differences: readonly Difference[], emphasise: (text: string) => string): string {
  const lines = differences.slice(0, SHOWN).flatMap((each) => linesOf(each, emphasise));
  const more = differences.length - SHOWN;
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : []), "", summaryOf(differences)].join("\n");
}

function linesOf(
  { operation, before, after, texts }: Difference,
  emphasise: (text: string) => string,
): readonly string[] {
  const kind = kindOf({ before, after });
  const parts = (["description", "signature"] as const).flatMap((part) =>
    before?.[part] === after?.[part]
      ? []
      : [
          ...(before ? [`  - ${indented(before[part])}`] : []),
          ...(after ? [`  + ${indented(after[part])}`] : []),
        ],
  );
  const now = texts.map((text) => `  + ${indented(text)}`);
  return [`${kind} ${emphasise(operation)}`, ...parts, ...now];
}

function kindOf({ before, after }: Pick<Difference, "before" | "after">): "new" | "changed" | "gone" {
  if (!before) return "new";
  return after ? "changed" : "gone";
}

/** Whoever wrote the text is not trusted yet: nothing in it may steer the terminal. */
function indented(text: string): string {
  return text
    .replaceAll(
      /[^\P{C}\n]/gu,
      (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, "0")}`,
    )
    .replaceAll("\n", "\n    ");
}

function summaryOf(differences: readonly Difference[]): string {
  const kinds = differences.map(kindOf);
  const counts = (["new", "changed", "gone"] as const)
    .map((kind) => [kind, kinds.filter((each) => each === kind).length] as const)
    .filter(([, count]) => count > 0);
  return `Definitions: ${counts.map(([kind, count]) => `${count} ${kind}`).join(", ")}.`;
}
