export {
  type Imported,
  type KeepOptions,
  type KeptSource,
  keepImported,
  type OnSet,
  type SourceHealth,
} from "./kept-source.ts";
export { OPERATOR_SCOPE, operatorOf } from "./operator.ts";
export { type Change, type ChangeListener, type Delta, Registry, type SourceDelta } from "./registry.ts";
export type { Snapshot } from "./snapshot.ts";
export {
  createSourceRules,
  type OperationOverride,
  type SourceOptions,
  type SourceRules,
} from "./source-options.ts";
export { createView, type View } from "./view.ts";
