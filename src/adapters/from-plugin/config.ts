import { EVERY_KIND, PLUGIN_CREDENTIALS, type SourceOf } from "../../config/index.ts";

/** Keys of a source of the kind plugin. */
export const PLUGIN_KEYS = {
  plugin: {
    type: "string",
    minLength: 1,
    description: "Module whose default export is a plugin, relative to the configuration.",
  },
  options: {
    type: "object",
    default: {},
    additionalProperties: {},
    description:
      "Settings of the plugin itself, which it gets when it is loaded and checks by a schema of its own.",
  },
  credentials: PLUGIN_CREDENTIALS,
  allowPrivate: {
    type: "boolean",
    default: false,
    description: "Whether context.fetch of its handlers may call this machine and private networks.",
  },
  ...EVERY_KIND,
} as const;

/** A source of the kind plugin, as the config has it. */
export type PluginConfig = SourceOf<"plugin", typeof PLUGIN_KEYS>;
