import { type Invocation, UsageError } from "./command.ts";

/** A question, and the option that answers it. */
export interface Question {
  readonly text: string;
  /** The answer for an empty line. */
  readonly fallback?: string;
  /** The option to use without a terminal, such as `--port PORT`. */
  readonly instead: string;
  /** The problem of an invalid answer; the question is repeated. */
  readonly problem?: (answer: string) => string | undefined;
}

/** Asks at the terminal; with `--yes` the fallback is the answer. Refuses without a terminal. */
export async function ask(invocation: Invocation, question: Question): Promise<string> {
  const { terminal, switches } = invocation;
  const { text, fallback, instead, problem = () => undefined } = question;
  if (switches.has("yes") && fallback !== undefined) return fallback;
  if (!terminal.ask) {
    throw new UsageError(`${text}? This cannot be asked, since this is not a terminal. Add ${instead}.`);
  }
  terminal.status("");
  for (;;) {
    const given = await terminal.ask(fallback ? `${text} [${fallback}]: ` : `${text}: `);
    const answer = given === "" ? (fallback ?? "") : given;
    const wrong = answer === "" && fallback === undefined ? "An answer is needed." : problem(answer);
    if (wrong === undefined) return answer;
    terminal.printError(wrong);
  }
}

/** Asks for yes or no. */
export async function askYesNo(
  invocation: Invocation,
  {
    text,
    fallback,
    instead,
  }: { readonly text: string; readonly fallback: boolean; readonly instead: string },
): Promise<boolean> {
  const answer = await ask(invocation, {
    text: `${text} (y/n)`,
    fallback: fallback ? "y" : "n",
    instead,
    problem: (given) => (/^(y|yes|n|no)$/i.test(given) ? undefined : "Answer y or n."),
  });
  return /^y/i.test(answer);
}
