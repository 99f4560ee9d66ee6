import type { Command } from "../../command.ts";

/** `pinhole config-schema`: the schema of the configuration, for editors. */
export const configSchema: Command = {
  name: "config-schema",
  summary: "Prints the JSON Schema of pinhole.yaml, for editors.",
  description:
    "Editors with a YAML language server complete and check pinhole.yaml by it. Save it next to the configuration and " +
    "begin that with the line: # yaml-language-server: $schema=./pinhole.schema.json",
  examples: [{ line: "pinhole config-schema > pinhole.schema.json", meaning: "Saves it for an editor." }],
  options: {},
  run: async ({ terminal }) => {
    const { editorSchema } = await import("../../../operator/configuration/index.ts");
    terminal.print(JSON.stringify(editorSchema(), null, 2));
  },
};
