export { capabilitiesOf } from "./capabilities.ts";
export {
  isNameOnly,
  keyNameOf,
  ownSecretValues,
  resolveSourceSecrets,
  type Secrets,
  type SourceSecrets,
  sameSecrets,
  secretValues,
} from "./source-secrets.ts";
