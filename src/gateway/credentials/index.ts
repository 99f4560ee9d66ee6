export { capabilitiesOf } from "./capabilities.ts";
export { SecretsInUse } from "./secrets-in-use.ts";
export {
  isNameOnly,
  ownSecretValues,
  resolveSourceSecrets,
  type Secrets,
  type SourceSecrets,
  sameSecrets,
  secretValues,
} from "./source-secrets.ts";
