export {
  addClientSecret,
  ClientCredentials,
  type ClientSecret,
  type OnSecrets,
  parseTokens,
  sendTokenRequest,
  TokenCache,
} from "./client-credentials.ts";
export { readSigningKey, type SigningKey } from "./signing-key.ts";
export {
  capabilitiesOf,
  type FindSecret,
  isNameOnly,
  keyNameOf,
  type OauthSecrets,
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
