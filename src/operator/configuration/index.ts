export { editorSchema, loadConfig, writeConfig } from "../../adapters/index.ts";
export { type NewIdentity, newIdentity } from "./new-identity.ts";
