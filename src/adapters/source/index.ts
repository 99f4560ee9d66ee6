export {
  adviseOnCredential,
  type ConfiguredSource,
  closeShared,
  defineSource,
  type Probed,
  referenceOf,
  type SourceDefinition,
  type Startable,
  type StartSurroundings,
  sourceInfoOf,
  sourceOptionsOf,
  type UpstreamSource,
} from "./define-source.ts";
export {
  type CredentialKey,
  type Finding,
  INSPECTION,
  type Inspected,
  type InspectOptions,
  inspectKept,
} from "./inspect.ts";
