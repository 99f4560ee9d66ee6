/** `pinhole/client`: what a program needs to read the gateway's answers. */
export { type BatchEnvelope, CallError, type CallErrorJson, type Envelope } from "./core/index.ts";
