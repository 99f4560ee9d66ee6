export { createDispatch, type Dispatch, type DispatchOptions } from "./dispatch.ts";
export {
  type BatchEnvelope,
  createGatewayDispatch,
  type Entrance,
  type Envelope,
  type GatewayDispatch,
  type GatewayDispatchOptions,
  type IdentityResolver,
  type Middleware,
  type NamedWireCall,
  type WireCall,
} from "./entrance.ts";
export type { OutputValidation } from "./finish-output.ts";
export type { Call, RootCall } from "./frame.ts";
export { Lifetime, timeLeft } from "./lifetime.ts";
export {
  type Clock,
  createLimits,
  type LastingLimits,
  type Limits,
  RunningHandlers,
  releaseWhenEnded,
} from "./limits.ts";
export { type Overlay, type OverlayCaller, Overlays } from "./overlays.ts";
export { type Readmission, refusalToReadmit } from "./readmission.ts";
export { type BatchOptions, runBatch } from "./run-batch.ts";
export { abortableStream, iteratorOf } from "./stream.ts";
