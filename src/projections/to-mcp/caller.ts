import type { Entrance, Readmission } from "../../core/index.ts";
import type { Session } from "./session-ids.ts";

/** An authenticated caller, and the parsed body of its request. */
export interface McpCaller {
  readonly entrance: Entrance;
  readonly body: unknown;
  readonly readmission?: Readmission;
}

/** The caller of one HTTP request, handed through the SDK beside the request. */
export interface SdkCaller {
  readonly entrance: Entrance;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  /** The session of the request, if it has one. */
  readonly session?: Session;
  readonly [key: string]: unknown;
}
