import { importDocument } from "../adapters/from-openapi/index.ts";
import type { OperationType } from "../core/index.ts";
import { estimateTokens } from "../formats/index.ts";
import { createOutbound } from "../outbound/index.ts";
import { createDocumentLoader } from "./openapi-document.ts";

/** Above this many operations a sample of them stands for all. */
const SAMPLE = 500;

/** What a document would bring in. */
export interface OpenapiPreview {
  readonly title: string | undefined;
  readonly operations: readonly { readonly name: string; readonly type: OperationType }[];
  readonly warnings: readonly string[];
  /** What the operations would cost a model if each were a tool of its own, about. */
  readonly tokens: number;
}

/** Where the document lies, and what the source would be called. */
export interface PreviewOptions {
  readonly name: string;
  /** A file, or an address. */
  readonly reference: string;
  readonly directory: string;
  readonly signal: AbortSignal;
}

/** Reads a document as a source would, and changes nothing. Throws what keeps it from being imported. */
export async function previewOpenapi({
  name,
  reference,
  directory,
  signal,
}: PreviewOptions): Promise<OpenapiPreview> {
  // Who types an address at a terminal may well mean one of their own network.
  const outbound = createOutbound({ allowPrivate: true });
  try {
    const document = await createDocumentLoader({ reference, directory, outbound })(undefined, signal);
    if (!document) throw new Error("There is no document.");
    const { set, warnings } = importDocument(document, {
      name,
      headers: {},
      external: ["*"],
      scopes: [],
      public: false,
      operations: {},
      timeoutMs: 1,
      outbound,
    });
    const specs = set.registrations.map(({ spec }) => spec);
    const asTool = ({ name, description, inputSchema }: (typeof specs)[number]) =>
      estimateTokens(JSON.stringify({ name, description, inputSchema }));
    const step = Math.max(1, Math.ceil(specs.length / SAMPLE));
    const sample = specs.filter((_, index) => index % step === 0);
    return {
      title: set.source.title,
      operations: specs.map(({ name, type }) => ({ name, type })),
      warnings: warnings.map(({ where, message }) => (where === "" ? message : `${where}: ${message}`)),
      tokens: Math.round(
        (sample.reduce((sum, spec) => sum + asTool(spec), 0) / (sample.length || 1)) * specs.length,
      ),
    };
  } finally {
    await outbound.close();
  }
}
