import type { Command } from "../../command.ts";
import { NODE_OPTIONS } from "../../node-options.ts";

const { url, "token-env": tokenEnv, config } = NODE_OPTIONS;

/** `pinhole skill`: teaches an agent what there is and how to use it. */
export const skill: Command = {
  name: "skill",
  summary: "Writes an agent skill (SKILL.md) from what is registered now.",
  description:
    "Makes a file that teaches an agent the tools that are listed to it, which namespaces there are, what writes, and the three steps: " +
    "search, schema, call. It is made from a running node (--url, PINHOLE_URL), as the caller of the token sees it, or from what pinhole.yaml " +
    "here brings in, as a caller without scopes sees it, or the one of --token-env. It stays small however many operations there are.",
  examples: [
    { line: "pinhole skill", meaning: "Prints it." },
    {
      line: "pinhole skill --out .claude/skills/pinhole/SKILL.md",
      meaning: "Writes it where Claude Code finds it.",
    },
  ],
  options: {
    out: { value: "FILE", description: "Writes it there instead of printing it." },
    name: { value: "NAME", description: "What the skill is called.", default: "pinhole" },
    ...(url && { url }),
    ...(tokenEnv && { "token-env": tokenEnv }),
    ...(config && { config }),
  },
  run: async (invocation) => (await import("./run.ts")).runSkill(invocation),
};
