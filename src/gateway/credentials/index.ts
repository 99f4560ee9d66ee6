export { capabilitiesOf } from "./capabilities.ts";
export {
  resolveSourceSecrets,
  type Secrets,
  type SourceSecrets,
  sameSecrets,
  secretValues,
} from "./source-secrets.ts";
