import { type Check, examine } from "../../../operator/doctor/index.ts";
import type { Invocation, Outcome } from "../../command.ts";
import { configOptionsOf } from "../../options.ts";
import { withProgress } from "../../terminal.ts";

const MARKS = { fine: "ok   ", note: "note ", wrong: "WRONG" } as const;

/** Runs all checks and prints the findings, with advice at the end. */
export async function runDoctor(invocation: Invocation): Promise<Outcome> {
  const { terminal, switches, env, stop } = invocation;
  const asJson = switches.has("json");
  const options = await configOptionsOf(invocation);
  const checks: Check[] = [];
  const report = (check: Check) => {
    checks.push(check);
    if (asJson) return;
    terminal.status("");
    terminal.print(`${MARKS[check.level]}  ${check.about}: ${check.text}`);
  };
  await withProgress(terminal, "Examining", async () => {
    for await (const check of examine({ ...options, env, signal: stop })) report(check);
  });
  const isWrong = checks.some(({ level }) => level === "wrong");
  if (asJson) terminal.print(JSON.stringify({ healthy: !isWrong, checks }, null, 2));
  else terminal.print(`\n${conclusionOf(checks)}`);
  return isWrong ? 1 : 0;
}

function conclusionOf(checks: readonly Check[]): string {
  const toDo = (level: Check["level"]) =>
    new Set(
      checks.flatMap((check) => (check.level === level && check.advice !== undefined ? [check.advice] : [])),
    );
  const must = [...toDo("wrong")];
  const may = [...toDo("note")];
  if (must.length + may.length === 0) return "All is well.";
  const lines = (advice: readonly string[]) => advice.map((text, index) => `  ${index + 1}. ${text}`);
  return [
    ...(must.length === 0 ? ["Nothing is wrong."] : ["To do:", ...lines(must)]),
    ...(may.length === 0 ? [] : ["Worth a look:", ...lines(may)]),
  ].join("\n");
}
