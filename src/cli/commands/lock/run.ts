import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { showInvisible } from "../../../core/index.ts";
import { type Difference, type LockReview, reviewLock } from "../../../operator/index.ts";
import type { Invocation } from "../../command.ts";
import { configOptionsOf } from "../../options.ts";
import { askYesNo } from "../../questions.ts";
import { withProgress } from "../../terminal.ts";

/** Shows the differences to the lock and, after a yes, accepts them. */
export async function runLock(invocation: Invocation): Promise<number | undefined> {
  const { terminal, switches, options: given } = invocation;
  const options = { ...(await configOptionsOf(invocation)), source: given.source };
  const review = await withProgress(terminal, "Reading the sources", () => reviewLock(options));
  const { differences, failed, notes, path, definitions } = review;
  for (const note of notes) terminal.printError(note);
  for (const { source, reason } of failed)
    terminal.printError(`${source} could not be read; its accepted definitions stay. ${reason}`);
  const accepted = switches.has("all") ? review.accepted() : [];
  if (differences.length + accepted.length > 0) await show(invocation, { differences, accepted });
  if (differences.length === 0) {
    terminal.print(
      definitions === 0
        ? "There is nothing to accept: no source has an operation."
        : `${definitions} definitions, all as they were accepted in ${path}.`,
    );
    return failed.length > 0 ? 1 : undefined;
  }
  terminal.print(summaryOf(differences));
  if (switches.has("check")) {
    terminal.print("Run pinhole lock to accept them.");
    return 1;
  }
  return (await accepts(invocation, review)) ? undefined : 1;
}

interface Shown {
  readonly differences: readonly Difference[];
  readonly accepted: readonly Difference[];
}

/** Shows a text: in a file, through a pager at a terminal, or directly. */
async function show(invocation: Invocation, { differences, accepted }: Shown): Promise<void> {
  const { terminal, options, directory, env } = invocation;
  const text = (emphasise: (text: string) => string) =>
    [
      ...differences.flatMap((each) => linesOf(each, emphasise)),
      ...accepted.flatMap((each) => linesOf(each, emphasise, "accepted")),
      "",
    ].join("\n");
  if (options.file !== undefined) {
    const file = resolve(directory, options.file);
    await writeFile(file, text(String));
    terminal.print(`${differences.length + accepted.length} definitions to read are in ${file}.`);
  } else if (!terminal.ask || !(await page(text(String), env)))
    terminal.print(text(terminal.emphasise).trimEnd());
}

async function accepts(invocation: Invocation, review: LockReview): Promise<boolean> {
  const { terminal, switches } = invocation;
  const { length } = review.differences;
  const isAccepted =
    switches.has("yes") ||
    (await askYesNo(invocation, {
      text: length === 1 ? "Accept this definition" : `Accept all ${length} definitions`,
      fallback: false,
      instead: "--yes to accept it, or --check to only look",
    }));
  if (isAccepted) await review.accept();
  terminal.print(isAccepted ? `Accepted; written to ${review.path}.` : "Nothing was accepted.");
  return isAccepted;
}

function linesOf(
  { operation, before, after, texts }: Difference,
  emphasise: (text: string) => string,
  kind: string = kindOf({ before, after }),
): readonly string[] {
  const parts = (["description", "signature"] as const).flatMap((part) =>
    before?.[part] === after?.[part]
      ? []
      : [
          ...(before ? [`  - ${indented(before[part])}`] : []),
          ...(after ? [`  + ${indented(after[part])}`] : []),
        ],
  );
  const now = texts.map((text) => `  + ${indented(text)}`);
  return [`${kind} ${emphasise(indented(operation))}`, ...parts, ...now];
}

function kindOf({ before, after }: Pick<Difference, "before" | "after">): "new" | "changed" | "gone" {
  if (!before) return "new";
  return after ? "changed" : "gone";
}

/** The text is not trusted yet: invisible characters are shown, and control characters escaped. */
function indented(text: string): string {
  return showInvisible(text).replaceAll("\n", "\n    ");
}

function summaryOf(differences: readonly Difference[]): string {
  const kinds = differences.map(kindOf);
  const counts = (["new", "changed", "gone"] as const)
    .map((kind) => [kind, kinds.filter((each) => each === kind).length] as const)
    .filter(([, count]) => count > 0);
  return `Definitions: ${counts.map(([kind, count]) => `${count} ${kind}`).join(", ")}.`;
}

/** Shows a long text through $PAGER, or less; false without a pager, or with an empty `PAGER=`. */
function page(text: string, env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const { PAGER: pager = "less" } = env;
  if (pager === "" || process.platform === "win32") return Promise.resolve(false);
  return new Promise((done) => {
    // As other programs do it: a text that fits the screen is not paged.
    const child = spawn(pager, {
      shell: true,
      stdio: ["pipe", "inherit", "inherit"],
      env: { LESS: "FRX", ...env },
    });
    child.on("error", () => done(false));
    // 127: the shell found no such program.
    child.on("close", (code) => done(code !== 127));
    // Leaving the pager early is not an error.
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
