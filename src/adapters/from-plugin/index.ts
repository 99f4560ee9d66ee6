export { PluginModules } from "./plugins.ts";
