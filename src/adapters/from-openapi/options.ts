import type { Log, OperationOverride, SourceOptions } from "../../core/index.ts";
import type { ClientCredentials } from "../../credentials/oauth/index.ts";
import type { DocumentFiles } from "../../formats/index.ts";
import type { Outbound } from "../../outbound/index.ts";

/** The longest text of a document; the largest public ones have some 40 MB. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** A document as it was found. */
export interface LoadedDocument extends DocumentFiles {
  /** Where it was fetched from; addresses in it may be relative to that. */
  readonly url?: URL;
  /** Differs when the document does. */
  readonly fingerprint: string;
}

/** Finds the document; undefined where it is still the one with this fingerprint. Throws an ImportError. */
export type LoadDocument = (
  known: string | undefined,
  signal: AbortSignal,
) => Promise<LoadedDocument | undefined>;

/** What an operator says about one operation of a document. */
interface ApiOverride extends OperationOverride {
  /** That an operation which can answer at once or as events is to answer as events. */
  readonly type?: "subscription";
}

/** How the operations of a document are imported. */
export interface ImportOptions extends SourceOptions {
  /** Called instead of what the document names. */
  readonly server?: URL | undefined;
  /** Values for the variables of the servers that the document names. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The schemes that have an API key of their own; capabilities hold it under `keyNameOf` the scheme. */
  readonly apiKeys?: readonly string[];
  /** Sent with each call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly operations: Readonly<Record<string, ApiOverride>>;
  readonly outbound: Pick<Outbound, "send">;
  /** Whether secrets may go to an address that the document names without TLS. */
  readonly allowClear?: boolean;
  /** Where tokens are kept that a client id and secret are good for; by itself an import has a place of its own. */
  readonly clientCredentials?: ClientCredentials;
}

/** How an API is kept imported. */
export interface OpenapiSourceOptions extends ImportOptions {
  readonly load: LoadDocument;
  /** How often the document is looked at again. */
  readonly refreshMs: number;
  readonly log: Log;
}
