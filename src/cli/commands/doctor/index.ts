import type { Finding } from "../../../operator/doctor/index.ts";
import type { Command, Invocation, Outcome } from "../../command.ts";
import { CONFIG_OPTION, configFlagOptions, configOptionsOf } from "../../options.ts";
import { withProgress } from "../../terminal.ts";

/** `pinhole doctor`: finds problems and says what to do. */
export const doctor: Command = {
  name: "doctor",
  summary: "Finds problems, and says what to do.",
  description:
    "Reads the configuration, checks that each credential is set (and never prints one), imports every source, and " +
    "reports unreachable sources, operations that cannot be used, names that clash, patterns and scopes that match " +
    "nothing, the clock and the version. It changes nothing.",
  examples: [
    { line: "pinhole doctor", meaning: "Checks pinhole.yaml here." },
    { line: "pinhole doctor --json", meaning: "Answers as JSON, for scripts." },
  ],
  options: { json: { description: "Prints JSON." }, config: CONFIG_OPTION },
  lateOptions: configFlagOptions,
  exitCodes: { 1: "There is a problem. Notes do not count." },
  run: runDoctor,
};

const MARKS = { fine: "ok   ", note: "note ", wrong: "WRONG" } as const;

/** Prints each finding at once, and all advice at the end. */
async function runDoctor(invocation: Invocation): Promise<Outcome> {
  const { terminal, switches, env, stop } = invocation;
  const asJson = switches.has("json");
  const { examine } = await import("../../../operator/doctor/index.ts");
  const options = await configOptionsOf(invocation);
  const checks: Finding[] = [];
  const report = (check: Finding) => {
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

function conclusionOf(checks: readonly Finding[]): string {
  const toDo = (level: Finding["level"]) =>
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
