import { type Command, type Invocation, UsageError } from "../../command.ts";
import { CONFIG_OPTION } from "../../options.ts";

/** `pinhole remove`: takes a source out of the configuration. */
export const remove: Command = {
  name: "remove",
  summary: "Removes a source.",
  description:
    "Takes a source out of pinhole.yaml. Everything else in the file stays, comments and layout included.",
  examples: [{ line: "pinhole remove github", meaning: "Removes the source github." }],
  arguments: [{ name: "name", description: "Name of the source." }],
  options: {
    config: { ...CONFIG_OPTION, description: "The configuration to change.", default: "pinhole.yaml here" },
  },
  run: runRemove,
};

async function runRemove({ arguments: given, options, terminal, directory }: Invocation): Promise<void> {
  const { readEditable, withoutSource } = await import("../../../config/index.ts");
  const { loadConfig, writeConfig } = await import("../../../operator/configuration/index.ts");
  const { name } = given;
  if (name === undefined) throw new UsageError("Say which source: pinhole remove github");
  const editable = await readEditable(options.config, directory);
  if (!editable.exists)
    throw new UsageError(`There is no ${editable.displayPath} here, so there is nothing to remove.`);
  const text = withoutSource(editable.text, name);
  if (text === undefined) {
    const { config } = await loadConfig({ file: options.config, directory });
    const names = Object.keys(config.sources);
    const { nearest } = await import("../../../core/index.ts");
    const [close] = nearest(name, names, 1);
    const known = names.length === 0 ? "It has none." : `It has ${names.join(", ")}.`;
    throw new UsageError(
      `${editable.displayPath} has no source ${JSON.stringify(name)}. ${close === undefined ? known : `Did you mean ${close}?`}`,
    );
  }
  await writeConfig(editable, text);
  terminal.print(`Removed ${name} from ${editable.displayPath}.`);
}
