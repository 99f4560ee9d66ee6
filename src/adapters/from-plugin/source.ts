import { resolve } from "node:path";
import { secretsOfPlugin } from "../../credentials/index.ts";
import { defineSource } from "../source/index.ts";
import { PLUGIN_KEYS, type PluginConfig } from "./config.ts";

/** The operator's own modules. */
export const PLUGIN_SOURCE = defineSource<PluginConfig>({
  kind: "plugin",
  keys: PLUGIN_KEYS,
  isOwnCode: true,
  isFile: true,
  rules: () => [],
  secrets: secretsOfPlugin,
  addresses: () => [],
  start: async (wanted, surroundings) => (await import("./start.ts")).startPlugin(wanted, surroundings),
  claims: (reference) => !/^(?:https?|wss?):\/\//i.test(reference) && /\.[cm]?[jt]s$/i.test(reference),
  async inspect({ reference, directory }) {
    const { PluginModules } = await import("./plugins.ts");
    const { source, registrations } = await new PluginModules().load({ path: resolve(directory, reference) });
    const specs = registrations.map(({ spec }) => spec);
    return { kind: "plugin", title: source.title, warnings: [], wants: [], locked: false, specs };
  },
  advise: ({ plugin }, { name, code }) =>
    code === "NAME_COLLISION" ? undefined : `Fix ${plugin}, or remove the source: pinhole remove ${name}`,
});
