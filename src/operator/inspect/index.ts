export type { CredentialKey } from "../../adapters/source/index.ts";
export { type InspectedSource, inspectSource, isOwnAddress, isPrivateHost } from "./inspect-source.ts";
