export {
  capabilitiesOf,
  type FindSecret,
  isNameOnly,
  keyNameOf,
  ownSecretValues,
  resolveSourceSecrets,
  type Secrets,
  type SourceSecrets,
  sameSecrets,
  secretsOfPlugin,
  secretsOfRemote,
  secretValues,
} from "./source-secrets.ts";
