export { PLUGIN_SOURCE } from "./source.ts";
