import type { OperationSpec, OperationType } from "../../core/index.ts";

/** The keys of a source under which references to its credentials stand. */
export type CredentialKey = "token" | "username" | "password" | "apiKey" | "clientId" | "clientSecret";

/** What stands behind an address or a file, and what it would bring in. */
export interface InspectedSource {
  readonly kind: "mcp" | "openapi" | "peer" | "plugin";
  /** The address or file under which it was found; not always the one that was typed. */
  readonly reference: string;
  readonly title: string | undefined;
  readonly operations: readonly { readonly name: string; readonly type: OperationType }[];
  readonly warnings: readonly string[];
  /** What the operations would cost a model if each were a tool of its own, about. */
  readonly tokens: number;
  /** The credentials that it asks for. */
  readonly wants: readonly CredentialKey[];
  /** True: some of its operations can be called without them. */
  readonly isPartlyOpen: boolean;
  /** True: it says nothing about itself without a credential, or refused the one that it got. */
  readonly locked: boolean;
  /** True: it says where somebody can sign in with a browser (OAuth). */
  readonly signsIn: boolean;
  /** True: its document, too, is shown only to those with a credential. */
  readonly documentLocked: boolean;
  /** True: it lies on this machine or in a private network. */
  readonly isPrivate: boolean;
}

/** What is to be inspected. */
export interface InspectOptions {
  /** What the source would be called. */
  readonly name: string;
  /** An address, or a file. */
  readonly reference: string;
  readonly directory: string;
  /** Sent to the address as a bearer token. */
  readonly token?: string | undefined;
  /** Called instead of what a document names. */
  readonly server?: URL | undefined;
  /** How long an address may be silent before something else is tried; 5 s if not told otherwise. */
  readonly patienceMs?: number | undefined;
  readonly signal: AbortSignal;
}

/** How long an address may be silent, unless told otherwise. */
export const SILENCE_MS = 5_000;

/** What was learned about one kind of source, without what all kinds have. */
export interface Finding extends Pick<InspectedSource, "kind" | "title" | "warnings" | "wants" | "locked"> {
  readonly specs: readonly OperationSpec[];
  readonly signsIn?: boolean;
  readonly documentLocked?: boolean;
  readonly isPartlyOpen?: boolean;
  /** Where its calls go, if that is elsewhere. */
  readonly origins?: ReadonlySet<string>;
}
