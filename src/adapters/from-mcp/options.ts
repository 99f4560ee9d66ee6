import type { Log, SourceOptions } from "../../core/index.ts";
import type { OauthCredential } from "../../credentials/oauth/index.ts";
import type { Outbound } from "../../outbound/index.ts";

/** The name under which a capability holds the token for an upstream. */
export const TOKEN = "token";

/** How a server is imported. */
export interface McpSourceOptions extends SourceOptions {
  readonly url: URL;
  /** The credential by which the tools are discovered. */
  readonly token?: string | undefined;
  /** The header that carries credentials as they are, where they are not bearer tokens. */
  readonly tokenHeader?: string | undefined;
  /** The credential for everything, where its tokens are got by the gateway itself. */
  readonly oauth?: OauthCredential | undefined;
  /** What the operator does where the credential is refused. */
  readonly credentialAdvice?: string | undefined;
  /** Believe the hints of the server: which of its tools only read, which may be repeated, and what clients go by. */
  readonly trustAnnotations: boolean;
  /** Whether the server may ask the callers while it runs their calls; yes unless it is false. */
  readonly relayQuestions?: boolean | undefined;
  /** How often the list is read again, for servers that do not tell of changes. */
  readonly refreshMs: number;
  readonly outbound: Pick<Outbound, "fetch"> & Partial<Pick<Outbound, "delay">>;
  readonly version: string;
  readonly log: Log;
}
