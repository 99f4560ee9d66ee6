import type { Server } from "node:net";
import type { Certificate } from "./tls.ts";

/** A server and the ways to end what it has open. */
export interface Closable {
  readonly server: Server;
  renew(certificate: Certificate): void;
  /** Ends connections without a request, and tells the others that there will be none. */
  endIdle(): void;
  endAll(): void;
}

/** Slow clients may take their time with an answer, not with a question. */
export const REQUEST_TIMEOUT_MS = 60_000;
/** How long the head of a request may take. */
export const HEADERS_TIMEOUT_MS = 20_000;
