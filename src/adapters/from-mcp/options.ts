import type { CapabilityProvider, Log } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import type { OauthCredential } from "./oauth/credential.ts";

/** The name under which a capability holds the token for an upstream. */
export const TOKEN = "token";

/** How a server is imported. */
export interface McpSourceOptions {
  /** The name of the source, and the namespace of its operations. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly url: URL;
  /** The credential by which the tools are discovered. */
  readonly token?: string | undefined;
  /** The header that carries credentials as they are, where they are not bearer tokens. */
  readonly tokenHeader?: string | undefined;
  /** The credential for everything, where its tokens are got by the gateway itself. */
  readonly oauth?: OauthCredential | undefined;
  /** What the operator does where the credential is refused. */
  readonly credentialAdvice?: string | undefined;
  /** The credential by which a principal's calls are made; nobody's if it is not given. */
  readonly capabilities?: CapabilityProvider | undefined;
  /** Patterns of tools that callers may reach from outside; the rest is for composition only. */
  readonly external: readonly string[];
  readonly scopes: readonly string[];
  readonly public: boolean;
  /** Believe the hints of the server: which of its tools only read, which may be repeated, and what clients go by. */
  readonly trustAnnotations: boolean;
  /** Whether the server may ask the callers while it runs their calls; yes unless it is false. */
  readonly relayQuestions?: boolean | undefined;
  /** How long one call may take. */
  readonly timeoutMs: number;
  /** How often the list is read again, for servers that do not tell of changes. */
  readonly refreshMs: number;
  readonly outbound: Pick<Outbound, "fetch">;
  readonly version: string;
  readonly log: Log;
}
