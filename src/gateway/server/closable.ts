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
export const REQUEST_TIMEOUT_MS = 55_000;
/** How long the head of a request may take. */
export const HEADERS_TIMEOUT_MS = 20_000;
/** How often Node looks for requests that have taken too long. With this, none takes more than a minute. */
export const CHECK_EVERY_MS = 5_000;
/**
 * How long a connection without a request stays open: longer than proxies and pools keep theirs, mostly a minute. A request that
 * crosses with the end of its connection fails, and whoever sent it cannot know whether it ran.
 */
export const KEEP_ALIVE_MS = 75_000;
