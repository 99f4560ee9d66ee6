import { readEditable, withoutSource } from "../../../config/index.ts";
import { nearest } from "../../../core/index.ts";
import { loadConfig, writeConfig } from "../../../operator/configuration/index.ts";
import { type Invocation, UsageError } from "../../command.ts";

/** Takes a source out of the configuration. */
export async function runRemove({
  arguments: given,
  options,
  terminal,
  directory,
}: Invocation): Promise<void> {
  const { name } = given;
  if (name === undefined) throw new UsageError("Say which source: pinhole remove github");
  const editable = await readEditable(options.config, directory);
  if (!editable.exists)
    throw new UsageError(`There is no ${editable.shown} here, so there is nothing to remove.`);
  const text = withoutSource(editable.text, name);
  if (text === undefined) {
    const { config } = await loadConfig({ file: options.config, directory });
    const names = Object.keys(config.sources);
    const [close] = nearest(name, names, 1);
    const known = names.length === 0 ? "It has none." : `It has ${names.join(", ")}.`;
    throw new UsageError(
      `${editable.shown} has no source ${JSON.stringify(name)}. ${close === undefined ? known : `Did you mean ${close}?`}`,
    );
  }
  await writeConfig(editable, text);
  terminal.print(`Removed ${name} from ${editable.shown}.`);
}
