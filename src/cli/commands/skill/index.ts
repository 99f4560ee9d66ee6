import type { Command } from "../../command.ts";
import { NODE_OPTIONS } from "../../options.ts";

const { url, "token-env": tokenEnv, config } = NODE_OPTIONS;

/** `pinhole skill`: writes a skill that explains the operations to an agent. */
export const skill: Command = {
  name: "skill",
  summary: "Writes an agent skill (SKILL.md) from the registered operations.",
  description:
    "Writes a file that explains to an agent its listed tools, the namespaces, which operations are mutations, and the three steps: " +
    "search, schema, call. It describes a running node (--url, PINHOLE_URL), as the caller of the token sees it, or the sources of pinhole.yaml " +
    "here, as a caller without scopes or the one of --token-env sees them. It stays small however many operations there are.",
  examples: [
    { line: "pinhole skill", meaning: "Prints it." },
    {
      line: "pinhole skill --out .claude/skills/pinhole/SKILL.md",
      meaning: "Writes it where Claude Code finds it.",
    },
  ],
  options: {
    out: { value: "FILE", description: "Writes it there instead of printing it." },
    name: { value: "NAME", description: "Name of the skill.", default: "pinhole" },
    ...(url && { url }),
    ...(tokenEnv && { "token-env": tokenEnv }),
    ...(config && { config }),
  },
  run: async (invocation) => (await import("./run.ts")).runSkill(invocation),
};
