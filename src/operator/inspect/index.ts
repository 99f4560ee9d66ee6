export { inspectSource, isPrivateHost } from "./inspect-source.ts";
export type { CredentialKey, InspectedSource } from "./inspected-source.ts";
export { isOwnAddress } from "./own-address.ts";
