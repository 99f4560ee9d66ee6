import type { Log, OperationOverride, SourceOptions } from "../../core/index.ts";
import type { ClientCredentials } from "../../credentials/index.ts";
import type { DocumentFiles } from "../../formats/index.ts";
import type { Outbound } from "../../outbound/index.ts";

/** The longest text of a document; the largest public ones have about 40 MB. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** A loaded document. */
export interface LoadedDocument extends DocumentFiles {
  /** The URL that it was fetched from; addresses in it may be relative to that. */
  readonly url?: URL;
  /** Differs when the document does. */
  readonly fingerprint: string;
}

/** Loads the document; undefined if it still has the known fingerprint. Throws an ImportError. */
export type LoadDocument = (
  known: string | undefined,
  signal: AbortSignal,
) => Promise<LoadedDocument | undefined>;

/** Settings of an operator for one operation of an API. */
export interface ApiOverride extends OperationOverride {
  /** An operation that can answer at once or as events answers as events. */
  readonly type?: "subscription" | undefined;
  /** Items of a stream are whole events: `{event, id?, data}` instead of their data. */
  readonly events?: "full" | undefined;
}

/** Options of the import of a document. */
export interface ImportOptions extends SourceOptions {
  /** Called instead of the server in the document. */
  readonly server?: URL | undefined;
  /** Values for the variables of the document's servers. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Schemes with an API key of their own; `keyNameOf` the scheme is its name in capabilities. */
  readonly apiKeys?: readonly string[];
  /** Sent with each call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly operations: Readonly<Record<string, ApiOverride>>;
  readonly outbound: Pick<Outbound, "send">;
  /** Secrets may go to an address without TLS that the document names. */
  readonly allowClear?: boolean;
  /** The cache of tokens for a client id and secret; its own by default. */
  readonly clientCredentials?: ClientCredentials;
}

/** Options of an OpenAPI source. */
export interface OpenapiSourceOptions extends ImportOptions {
  readonly load: LoadDocument;
  /** Time between two readings of the document. */
  readonly refreshMs: number;
  readonly log: Log;
  /** Is told of every token that the source obtains by itself. */
  readonly onSecrets?: ((secrets: readonly string[]) => void) | undefined;
}
