export {
  addClientSecret,
  ClientCredentials,
  type ClientSecret,
  type OnSecrets,
  parseTokens,
  sendTokenRequest,
  TokenCache,
} from "./client-credentials.ts";
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
  TOKEN,
} from "./source-secrets.ts";
