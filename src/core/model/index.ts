export { checkRegistration, type SchemaCheck } from "./check-registration.ts";
export {
  type ComposeOptions,
  type InputAnswer,
  type InputRequest,
  type OperationContext,
  type OperationEnv,
  type OperationLog,
  openSpan,
  type Progress,
  parseTrace,
  type Span,
  type Trace,
  traceOf,
} from "./context.ts";
export { defineOperation, type FromSchema } from "./define-operation.ts";
export {
  CallError,
  type CallErrorJson,
  type CallErrorOptions,
  declaredError,
  ERROR_TABLE,
  type ErrorRow,
  ImportError,
  type ImportErrorCode,
  messageOf,
  rowOf,
  stackOf,
  type TableCode,
} from "./errors.ts";
export {
  ANONYMOUS,
  type Authority,
  type CallLimits,
  Capabilities,
  type CapabilityProvider,
  decideMutation,
  type Identity,
  identityOfComposer,
  intersect,
  type MutationPolicy,
  type Reach,
  runsDry,
  strictest,
} from "./identity.ts";
export { showInvisible, withoutInvisible } from "./invisible.ts";
export {
  atFragment,
  atPointer,
  isRecord,
  type JsonSchema,
  measureJson,
  NotJson,
  pointerTo,
  sameJson,
  type UnknownRecord,
} from "./json.ts";
export { problemOfJsonText } from "./json-text.ts";
export {
  type AccessControl,
  type ContentBlock,
  type ContentOutput,
  completeSpec,
  type ErrorDefinition,
  isContentOutput,
  lastSegmentOf,
  MAX_NAME_LENGTH,
  NO_INPUT,
  namespaceOf,
  normaliseName,
  OPERATION_TYPES,
  type OperationSpec,
  type OperationType,
  problemOfName,
  RESERVED_NAMESPACES,
  type ResourceAccess,
  type SpecDraft,
  shownName,
  type Visibility,
} from "./operation.ts";
export {
  type Ownership,
  type OwnershipPorts,
  problemOfOwnership,
  type Resource,
  type ResourceClass,
} from "./ownership.ts";
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
export { RecentMap } from "./recent-map.ts";
export { createRedactor, NO_REDACTION, type Redactor } from "./redact.ts";
export {
  definePlugin,
  type Entry,
  type Handler,
  isOwnSet,
  isRepeatable,
  type OnceHandler,
  ownSet,
  type PluginDefinition,
  type Provenance,
  type Registration,
  RegistrationError,
  type Source,
  type SourceSet,
  type StreamHandler,
} from "./registration.ts";
export { MIN_SECRET_LENGTH } from "./secret-forms.ts";
export { signatureOf } from "./signature.ts";
export { atOnce, inSlices, SLICE_MS, Slices, type Steps } from "./slices.ts";
export { FLOODED, FloodPause, UnaskedMessages } from "./unasked.ts";
