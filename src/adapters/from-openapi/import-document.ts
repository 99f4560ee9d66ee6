import {
  compilePatterns,
  completeSpec,
  type ErrorDefinition,
  type OperationSpec,
  problemOfName,
  type Registration,
  type SourceSet,
} from "../../core/index.ts";
import {
  type ApiError,
  type ApiOperation,
  type ApiWarning,
  DocumentRefused,
  readDocument,
  safeName,
} from "../../formats/index.ts";
import { type Api, handlerOf, STREAM_ERROR } from "./call-operation.ts";
import { ClientCredentials } from "./client-credentials.ts";
import { ImportError } from "./import-error.ts";
import type { ImportOptions, LoadedDocument, OperationOverride } from "./options.ts";

/** Everything that a document offers, as a set for the registry, and what was not as it should be. */
export interface Imported {
  readonly set: SourceSet;
  readonly warnings: readonly ApiWarning[];
  /** Where calls, and with them secrets, may go. */
  readonly origins: ReadonlySet<string>;
}

/** Every status that the document does not tell of. */
const ANY_STATUS: ErrorDefinition = Object.freeze({
  code: "HTTP_*",
  description: "Any other status that the service answers with; details hold it and the parsed body.",
  httpStatus: 502,
});
const RETRYABLE: readonly number[] = [429, 503];
const MAX_NAME_LENGTH = 128;

/** Turns a document into registrations. Throws an ImportError for one that cannot be used at all. */
export function importDocument(document: LoadedDocument, options: ImportOptions): Imported {
  const { title, description, operations, warnings } = read(document);
  const importer = new Importer(document, options);
  const registrations = operations.flatMap((operation) => importer.toRegistration(operation));
  return {
    warnings: [...warnings, ...importer.finish(registrations)],
    origins: importer.origins,
    set: { source: sourceOf(options, title, description), registrations },
  };
}

function read(document: LoadedDocument) {
  try {
    return readDocument(document);
  } catch (error) {
    if (error instanceof DocumentRefused) throw new ImportError("SCHEMA_PARSE", error.message, error);
    throw error;
  }
}

class Importer {
  readonly origins = new Set<string>();
  readonly #document: LoadedDocument;
  readonly #options: ImportOptions;
  readonly #isExternal: (name: string) => boolean;
  readonly #api: Api;
  readonly #warnings: ApiWarning[] = [];
  readonly #names = new Set<string>();
  readonly #overridden = new Set<string>();
  readonly #servers = new Map<string, string | undefined>();
  readonly #definitions = new Map<ApiError | string, ErrorDefinition>();
  readonly #lists = new Map<string, readonly ErrorDefinition[]>();
  #hasNoServer = false;

  constructor(document: LoadedDocument, options: ImportOptions) {
    const { outbound, headers, timeoutMs } = options;
    this.#document = document;
    this.#options = options;
    this.#isExternal = compilePatterns(options.external);
    this.#api = { outbound, headers, timeoutMs, clientCredentials: new ClientCredentials(outbound) };
  }

  toRegistration(operation: ApiOperation): readonly Registration[] {
    const { capabilities } = this.#options;
    const override = this.#overrideOf(operation);
    const local = override.name === undefined ? operation.name : safeName(override.name);
    const name = `${this.#options.name}/${local}`;
    const problem = this.#names.has(name)
      ? "is the name of two operations; the first one stays"
      : problemOf(name);
    if (problem) {
      const where = `${operation.method} ${operation.path}`;
      this.#warnings.push({ where, leftOut: true, message: `${name.slice(0, 150)} ${problem}` });
      return [];
    }
    this.#names.add(name);
    const server = this.#serverOf(operation);
    return [
      {
        spec: this.#specOf(operation, name, { local, description: override.description }),
        provenance: "from-openapi",
        public: this.#options.public,
        handler: handlerOf({ name, operation: callPartsOf(operation), server }, this.#api),
        ...(capabilities && { capabilities }),
      },
    ];
  }

  /** What there is to say about the import as a whole. */
  finish(registrations: readonly Registration[]): readonly ApiWarning[] {
    const about = (message: string) => ({ where: "", leftOut: false, message });
    if (this.#hasNoServer) {
      this.#warnings.push(about("the document names no whole address; set server, or calls will fail"));
    }
    for (const key of Object.keys(this.#options.operations)) {
      if (registrations.length > 0 && !this.#overridden.has(key))
        this.#warnings.push(about(`operations.${key} stands for no operation of the document`));
    }
    return this.#warnings;
  }

  #specOf(
    operation: ApiOperation,
    name: string,
    { local, description }: { readonly local: string; readonly description: string | undefined },
  ): OperationSpec {
    const { title, tags, method, path } = operation;
    const { scopes } = this.#options;
    return completeSpec({
      name,
      type: operation.type,
      visibility: this.#isExternal(local) ? "external" : "internal",
      ...(title !== undefined && { title }),
      description: description ?? operation.description,
      ...(tags.length > 0 && { tags }),
      ...(operation.deprecated && { deprecated: "The document says that this is deprecated." }),
      inputSchema: operation.inputSchema,
      outputSchema: operation.outputSchema,
      errors: this.#errorsOf(operation),
      access: scopes.length > 0 ? { scopes } : {},
      annotations: { http: `${method} ${path}` },
    });
  }

  /** Lists of errors are few and operations are many. */
  #errorsOf({ errors, type }: ApiOperation): readonly ErrorDefinition[] {
    const key = `${type === "subscription"} ${errors.map(({ status, description }) => `${status} ${description}`).join("\n")}`;
    const known = this.#lists.get(key);
    if (known) return known;
    const list = [
      ...errors.map((error) => this.#definitionOf(error)),
      ANY_STATUS,
      ...(type === "subscription" ? [STREAM_ERROR] : []),
    ];
    this.#lists.set(key, list);
    return list;
  }

  #definitionOf(error: ApiError): ErrorDefinition {
    const { status, description } = error;
    const known = this.#definitions.get(error);
    if (known) return known;
    const retryable = RETRYABLE.includes(status) && { retryable: true };
    const definition = { code: `HTTP_${status}`, description, httpStatus: status, ...retryable };
    this.#definitions.set(error, definition);
    return definition;
  }

  #overrideOf({ name }: ApiOperation): OperationOverride {
    const { operations } = this.#options;
    if (!Object.hasOwn(operations, name)) return {};
    this.#overridden.add(name);
    return operations[name] ?? {};
  }

  #serverOf({ servers, security }: ApiOperation): string | undefined {
    const key = servers.join(" ");
    if (!this.#servers.has(key)) this.#servers.set(key, this.#findServer(servers));
    const server = this.#servers.get(key);
    if (server === undefined) this.#hasNoServer = true;
    else this.origins.add(new URL(server).origin);
    for (const scheme of (security ?? []).flat()) {
      const url = scheme.kind === "oauth2" && scheme.tokenUrl ? URL.parse(scheme.tokenUrl, server) : null;
      if (url) this.origins.add(url.origin);
    }
    return server;
  }

  #findServer(servers: readonly string[]): string | undefined {
    if (this.#options.server) return this.#options.server.href;
    return servers
      .map((server) => URL.parse(server, this.#document.url?.href))
      .find((url) => url?.protocol === "https:" || url?.protocol === "http:")?.href;
  }
}

/** A handler outlives the import, and needs no more than this. */
function callPartsOf(operation: ApiOperation): ApiOperation {
  return { ...operation, description: "", tags: [], errors: [], inputSchema: true, outputSchema: true };
}

function problemOf(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return `is longer than ${MAX_NAME_LENGTH} characters; give it a name`;
  return problemOfName(name);
}

function sourceOf(options: ImportOptions, title: string | undefined, description: string | undefined) {
  const shownTitle = options.title ?? title?.slice(0, 200);
  const shown = options.description ?? firstSentence(description) ?? shownTitle;
  return {
    name: options.name,
    ...(shownTitle !== undefined && { title: shownTitle }),
    ...(shown !== undefined && { description: shown }),
  };
}

/** Descriptions often begin with a heading, which says less than the sentence below it. */
function firstSentence(text: string | undefined): string | undefined {
  const line = text?.split("\n").find((each) => /^[^#\s<]/.test(each));
  return line?.split(/(?<=[.!?])\s/, 1)[0]?.slice(0, 200);
}
