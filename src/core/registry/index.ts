export {
  type Imported,
  type KeepOptions,
  type KeptSource,
  keepImported,
  type OnSet,
  type SourceHealth,
} from "./kept-source.ts";
export { type FoundPreset, findPreset, problemOfPreset } from "./presets.ts";
export { type Change, type ChangeListener, type Delta, Registry, type SourceDelta } from "./registry.ts";
export { type FoundRoute, routesAt } from "./routes.ts";
export { byName, type Snapshot } from "./snapshot.ts";
export {
  createSourceRules,
  type OperationOverride,
  type SourceOptions,
  type SourceRules,
} from "./source-options.ts";
export { createView, OPERATOR_SCOPE, operatorOf, type View } from "./view.ts";
