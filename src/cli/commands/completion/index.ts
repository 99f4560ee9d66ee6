import { type Command, type Invocation, UsageError } from "../../command.ts";
import { withAllOptions } from "../../parse.ts";
import { inQuotes } from "../../text.ts";

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
  run: runCompletion,
};

/** Prints the script of one shell, made from the commands. */
async function runCompletion({ arguments: given, terminal, commands }: Invocation): Promise<void> {
  const script = SCRIPTS[given.shell ?? ""];
  if (!script) throw new UsageError("Say which shell: pinhole completion bash, zsh or fish");
  terminal.print(script(await Promise.all(commands.map(withAllOptions))));
}

const SCRIPTS: Readonly<Record<string, (commands: readonly Command[]) => string>> = { bash, zsh, fish };

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => `    ${command.name}) words="${wordsOf(command).join(" ")}" ;;`);
  return `_pinhole() {
  local words
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${optionsWithValue(commands).join("|")}) return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help) words="${namesOf(commands).join(" ")}" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${[...namesOf(commands), "help", "--help", "--version"].join(" ")}"; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _pinhole pinhole`;
}

function zsh(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    ${inQuotes(`${name}:${summary}`)}`);
  const cases = commands.map((command) => `    ${command.name}) compadd -- ${wordsOf(command).join(" ")} ;;`);
  return `#compdef pinhole
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
_pinhole() {
  local -a commands
  commands=(
${described.join("\n")}
    'help:Shows the help of a command.'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "\${words[CURRENT-1]}" in
    ${optionsWithValue(commands).join("|")}) _files; return ;;
  esac
  case "\${words[2]}" in
${cases.join("\n")}
    help) compadd -- ${namesOf(commands).join(" ")} ;;
  esac
  _files
}
compdef _pinhole pinhole`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const seen = `-n '__fish_seen_subcommand_from ${command.name}'`;
    return [
      `complete -c pinhole -n __fish_use_subcommand -f -a ${command.name} -d ${inQuotes(command.summary)}`,
      ...choicesOf(command).map((choice) => `complete -c pinhole ${seen} -f -a ${choice}`),
      ...Object.entries(command.options).map(
        ([name, { value, description }]) =>
          `complete -c pinhole ${seen} -l ${name}${value === undefined ? "" : " -r"} -d ${inQuotes(description)}`,
      ),
    ];
  });
  return [
    ...lines,
    "complete -c pinhole -n __fish_use_subcommand -f -a help -d 'Shows the help of a command.'",
    `complete -c pinhole -n '__fish_seen_subcommand_from help' -f -a ${inQuotes(namesOf(commands).join(" "))}`,
  ].join("\n");
}

function wordsOf(command: Command): readonly string[] {
  return [...choicesOf(command), ...Object.keys(command.options).map((name) => `--${name}`), "--help"];
}

/** Options with a value, for which files are offered. */
function optionsWithValue(commands: readonly Command[]): readonly string[] {
  const names = commands.flatMap(({ options }) =>
    Object.entries(options).flatMap(([name, { value }]) => (value === undefined ? [] : [`--${name}`])),
  );
  return [...new Set(names)];
}

function choicesOf({ arguments: given = [] }: Command): readonly string[] {
  return given.flatMap(({ choices = [] }) => choices);
}

function namesOf(commands: readonly Command[]): readonly string[] {
  return commands.map(({ name }) => name);
}
