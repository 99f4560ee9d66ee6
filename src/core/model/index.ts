export { Capabilities, type CapabilityProvider } from "./capabilities.ts";
export { checkRegistration, type SchemaCheck } from "./check-registration.ts";
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
export {
  CallError,
  type CallErrorJson,
  type CallErrorOptions,
  declaredError,
  ERROR_TABLE,
  type ErrorRow,
  messageOf,
  rowOf,
  type TableCode,
} from "./errors.ts";
export { ANONYMOUS, type Authority, type CallLimits, type Identity, identityOfComposer } from "./identity.ts";
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
export { problemOfJsonText } from "./json-text.ts";
export { measureJson, NotJson } from "./measure.ts";
export {
  lastSegmentOf,
  MAX_NAME_LENGTH,
  namespaceOf,
  normaliseName,
  problemOfName,
  RESERVED_NAMESPACES,
  shownName,
} from "./name.ts";
export {
  type AccessControl,
  completeSpec,
  type ErrorDefinition,
  NO_INPUT,
  OPERATION_TYPES,
  type OperationSpec,
  type OperationType,
  type ResourceAccess,
  type SpecDraft,
  type Visibility,
} from "./operation.ts";
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
export { decideMutation, intersect, type MutationPolicy, type Reach, runsDry, strictest } from "./reach.ts";
export { RecentMap } from "./recent-map.ts";
export { createRedactor, NO_REDACTION, type Redactor } from "./redact.ts";
export {
  type Handler,
  isRepeatable,
  type OnceHandler,
  type Provenance,
  type Registration,
  RegistrationError,
  type StreamHandler,
} from "./registration.ts";
export type { FromSchema } from "./schema-type.ts";
export { MIN_SECRET_LENGTH } from "./secret-forms.ts";
export { signatureOf } from "./signature.ts";
export { atOnce, inSlices, SLICE_MS, Slices, type Steps } from "./slices.ts";
export {
  definePlugin,
  type Entry,
  isOwnSet,
  ownSet,
  type PluginDefinition,
  type Source,
  type SourceSet,
} from "./source.ts";
export { openSpan, parseTrace, type Span, traceOf } from "./trace.ts";
export { FLOODED, FloodPause, UnaskedMessages } from "./unasked.ts";
