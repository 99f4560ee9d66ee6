export type { CredentialKey } from "../../adapters/source/index.ts";
export { type InspectedSource, inspectSource, isPrivateHost } from "./inspect-source.ts";
export { isOwnAddress } from "./own-address.ts";
