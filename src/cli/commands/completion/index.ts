import type { Command } from "../../command.ts";

/** `pinhole completion`: a script that completes command lines. */
export const completion: Command = {
  name: "completion",
  summary: "Prints a script for completion in a shell.",
  examples: [
    {
      line: "source <(pinhole completion bash)",
      meaning: "For this bash; put the line into ~/.bashrc to keep it.",
    },
    {
      line: "source <(pinhole completion zsh)",
      meaning: "For this zsh; put the line into ~/.zshrc to keep it.",
    },
    {
      line: "pinhole completion fish > ~/.config/fish/completions/pinhole.fish",
      meaning: "For every fish.",
    },
  ],
  arguments: [{ name: "shell", description: "bash, zsh or fish.", choices: ["bash", "zsh", "fish"] }],
  options: {},
  run: async (invocation) => (await import("./run.ts")).runCompletion(invocation),
};
