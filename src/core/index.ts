export {
  type AccessPolicy,
  type Caller,
  DEFAULT_POLICY,
  decideSight,
  type Sight,
  sightKey,
} from "./access.ts";
export { type BatchOptions, runBatch } from "./batch.ts";
export { Capabilities, type CapabilityProvider } from "./capabilities.ts";
export { type ContentBlock, type ContentOutput, isContentOutput } from "./content.ts";
export type {
  ComposeOptions,
  InputAnswer,
  InputRequest,
  OperationContext,
  OperationEnv,
  OperationLog,
  Progress,
  Trace,
} from "./context.ts";
export { defineOperation } from "./define-operation.ts";
export { definePlugin, type PluginDefinition } from "./define-plugin.ts";
export { createDispatch, type Dispatch, type DispatchOptions } from "./dispatch.ts";
export { endable } from "./endable.ts";
export {
  CallError,
  type CallErrorJson,
  type CallErrorOptions,
  ERROR_TABLE,
  type ErrorRow,
  httpStatusOf,
  type TableCode,
} from "./errors.ts";
export type { OutputValidation } from "./finish-output.ts";
export type { Call, RootCall } from "./frame.ts";
export {
  type BatchEnvelope,
  createGatewayDispatch,
  type Entrance,
  type Envelope,
  type GatewayDispatch,
  type GatewayDispatchOptions,
  type IdentityResolver,
  type NamedWireCall,
  type WireCall,
} from "./gateway-dispatch.ts";
export { ANONYMOUS, type Authority, type CallLimits, type Identity } from "./identity.ts";
export { ImportError, type ImportErrorCode } from "./import-error.ts";
export { showInvisible, withoutInvisible } from "./invisible.ts";
export {
  atFragment,
  atPointer,
  isRecord,
  type JsonSchema,
  pointerTo,
  sameJson,
  type UnknownRecord,
} from "./json.ts";
export {
  type Imported,
  type KeepOptions,
  type KeptSource,
  keepImported,
  type OnSet,
  type SourceHealth,
} from "./kept-source.ts";
export { timeLeft } from "./lifetime.ts";
export { type Clock, createLimits, type LastingLimits, type Limits } from "./limits.ts";
export { measureJson } from "./measure.ts";
export {
  lastSegmentOf,
  MAX_NAME_LENGTH,
  namespaceOf,
  normaliseName,
  problemOfName,
  RESERVED_NAMESPACES,
} from "./name.ts";
export { nearest } from "./nearest.ts";
export { isDeeperThan } from "./nesting.ts";
export {
  type AccessControl,
  completeSpec,
  type ErrorDefinition,
  NO_INPUT,
  type OperationSpec,
  type OperationType,
  type ResourceAccess,
  type SpecDraft,
  type Visibility,
} from "./operation.ts";
export { compilePatterns, type Matches } from "./pattern.ts";
export {
  type Audit,
  type AuditContent,
  type AuditEntry,
  type AuditGate,
  type Log,
  type OutboundFetch,
  type SchemaProblem,
  SchemaUnusable,
  type SchemaValidator,
  type Selector,
  SILENT_LOG,
  ValueTooComplex,
} from "./ports.ts";
export { type MutationPolicy, type Reach, strictest } from "./reach.ts";
export { type Readmission, refusalToReadmit } from "./readmission.ts";
export { createRedactor, NO_REDACTION, type Redactor } from "./redact.ts";
export {
  type Handler,
  type OnceHandler,
  type Provenance,
  type Registration,
  RegistrationError,
  type StreamHandler,
} from "./registration.ts";
export { type Change, type ChangeListener, type Delta, Registry, type SourceDelta } from "./registry.ts";
export type { FromSchema } from "./schema-type.ts";
export { MIN_SECRET_LENGTH } from "./secret-forms.ts";
export { signatureOf } from "./signature.ts";
export type { Snapshot } from "./snapshot.ts";
export { type Entry, ownSet, type Source, type SourceSet } from "./source.ts";
export {
  createSourceRules,
  type OperationOverride,
  type SourceOptions,
  type SourceRules,
} from "./source-options.ts";
export { iteratorOf } from "./stream.ts";
export { parseTrace, type Span } from "./trace.ts";
export { FLOODED, FloodPause, UnaskedMessages } from "./unasked.ts";
export { createView, type View } from "./view.ts";
