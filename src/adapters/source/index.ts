export {
  adviseOnCredential,
  defineSource,
  type Failed,
  type Probed,
  referenceOf,
  type SourceDefinition,
  type Startable,
  type StartSurroundings,
  sourceOptionsOf,
  type UpstreamSource,
  type Wanted,
} from "./define-source.ts";
export {
  type CredentialKey,
  type Finding,
  type Inspected,
  type InspectOptions,
  inspectKept,
  LOOKED_AT,
} from "./inspect.ts";
