import type { Log, SourceOptions } from "../../core/index.ts";
import type { OauthCredential } from "../../credentials/oauth/index.ts";
import type { Outbound } from "../../outbound/index.ts";

/** Options of an MCP source. */
export interface McpSourceOptions extends SourceOptions {
  readonly url: URL;
  /** The credential for discovery. */
  readonly token?: string | undefined;
  /** The header for credentials that are not bearer tokens. */
  readonly tokenHeader?: string | undefined;
  /** The credential for everything, if the gateway gets tokens by itself. */
  readonly oauth?: OauthCredential | undefined;
  /** Advice for the operator if the credential is refused. */
  readonly credentialAdvice?: string | undefined;
  /** Believe the annotations of tools: read-only, idempotent, and those that clients read. */
  readonly trustAnnotations: boolean;
  /** The server may ask callers for input while it runs their calls; true by default. */
  readonly relayQuestions?: boolean | undefined;
  /** Time between two readings of the list, for servers that do not report changes. */
  readonly refreshMs: number;
  readonly outbound: Pick<Outbound, "fetch"> & Partial<Pick<Outbound, "delay">>;
  readonly version: string;
  readonly log: Log;
}
