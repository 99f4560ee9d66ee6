import {
  completeSpec,
  createSourceRules,
  ImportError,
  inSlices,
  type OperationSpec,
  problemOfName,
  type Registration,
  type SourceRules,
  type SourceSet,
  type Steps,
  type UnknownRecord,
  withoutInvisible,
} from "../../core/index.ts";
import { ClientCredentials } from "../../credentials/index.ts";
import {
  type ApiDocument,
  type ApiOperation,
  type ApiParameter,
  type ApiWarning,
  DocumentRefused,
  readingSteps,
  type SecurityScheme,
} from "../../formats/index.ts";
import { sourceInfoOf } from "../source/index.ts";
import { type Api, handlerOf } from "./call-operation.ts";
import { ErrorLists } from "./error-lists.ts";
import type { ApiOverride, ImportOptions, LoadedDocument } from "./options.ts";
import { withEvents } from "./with-events.ts";

/** The operations of a document, and its problems. */
export interface ImportedDocument {
  readonly set: SourceSet;
  readonly warnings: readonly ApiWarning[];
  /** Settings of the operator that have no effect. */
  readonly withoutEffect: readonly string[];
  /** Origins that calls, and secrets with them, may go to. */
  readonly origins: ReadonlySet<string>;
}

const MAX_NAME_LENGTH = 128;
/** Safe methods (RFC 9110, section 9.2.1). */
const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY"]);
const IDEMPOTENT_WRITES: ReadonlySet<string> = new Set(["PUT", "DELETE"]);

/**
 * Turns a document into registrations, in slices of a few milliseconds. Throws an ImportError for an unusable document,
 * and stops when the signal aborts.
 */
export function importDocument(
  document: LoadedDocument,
  options: ImportOptions,
  signal?: AbortSignal,
): Promise<ImportedDocument> {
  return inSlices(importSteps(document, options), signal);
}

function* importSteps(document: LoadedDocument, options: ImportOptions): Steps<ImportedDocument> {
  const { operations, apiKeys, warnings, ...about } = yield* read(document, options);
  const { title, description } = withoutInvisible({ title: about.title, description: about.description });
  const importer = new Importer(document, options);
  const registrations: Registration[] = [];
  for (const operation of operations) {
    registrations.push(...importer.toRegistration(operation));
    yield;
  }
  return {
    warnings: [...warnings, ...importer.finish(apiKeys)],
    withoutEffect: importer.rules.problems(),
    origins: importer.origins,
    set: { source: sourceInfoOf(options, { title, description }), registrations },
  };
}

function* read(document: LoadedDocument, { variables = {} }: ImportOptions): Steps<ApiDocument> {
  try {
    return yield* readingSteps(document, { variables });
  } catch (error) {
    if (error instanceof DocumentRefused) throw new ImportError("SCHEMA_PARSE", error.message, error);
    throw error;
  }
}

class Importer {
  readonly origins = new Set<string>();
  readonly rules: SourceRules;
  readonly #document: LoadedDocument;
  readonly #options: ImportOptions;
  readonly #api: Api;
  readonly #warnings: ApiWarning[] = [];
  readonly #names = new Set<string>();
  readonly #servers = new Map<string, string | undefined>();
  readonly #errors = new ErrorLists();
  /** Parts of schemas that have been checked: operations share them. */
  readonly #seen = new WeakMap<object, unknown>();
  #hasNoServer = false;

  constructor(document: LoadedDocument, options: ImportOptions) {
    const { outbound, headers, timeoutMs, allowClear = false } = options;
    const { clientCredentials = new ClientCredentials(outbound) } = options;
    this.#document = document;
    this.#options = options;
    this.rules = createSourceRules(options);
    this.#api = { outbound, headers, timeoutMs, clientCredentials, allowClear };
  }

  toRegistration(written: ApiOperation): readonly Registration[] {
    const { capabilities } = this.#options;
    const { operation, wholeEvents, problems } = withEvents(written, this.#overrideOf(written));
    for (const message of problems)
      this.#warnings.push({ where: `${written.method} ${written.path}`, leftOut: false, message });
    const shown = this.#visible(operation);
    const spec = this.rules.apply(this.#specOf(typeof shown === "string" ? operation : shown));
    const { name } = spec;
    const problem = this.#names.has(name)
      ? "is the name of two operations; the first one stays"
      : (problemOf(name) ?? (typeof shown === "string" ? shown : undefined));
    if (problem !== undefined || typeof shown === "string") {
      const where = `${operation.method} ${operation.path}`;
      this.#warnings.push({ where, leftOut: true, message: `${name.slice(0, 150)} ${problem}` });
      return [];
    }
    this.#names.add(name);
    const server = this.#serverOf(operation);
    const target = this.#targetOf(operation, server);
    return [
      {
        spec,
        provenance: "from-openapi",
        public: this.#options.public,
        handler: handlerOf({ name, operation: callPartsOf(operation), wholeEvents, server }, this.#api),
        ...(capabilities && { capabilities }),
        target,
      },
    ];
  }

  /** Warnings about the document as a whole. */
  finish(apiKeys: readonly string[]): readonly ApiWarning[] {
    const about = (message: string) => ({ where: "", leftOut: false, message });
    if (this.#hasNoServer) {
      this.#warnings.push(about("the document names no whole address; set server, or calls will fail"));
    }
    for (const key of this.#options.apiKeys ?? []) {
      if (apiKeys.includes(key)) continue;
      const has = apiKeys.length === 0 ? "it has none" : `it has ${apiKeys.slice(0, 20).join(", ")}`;
      this.#warnings.push(about(`apiKeys.${key} is not an API key of the document; ${has}`));
    }
    return this.#warnings;
  }

  #specOf(operation: ApiOperation): OperationSpec {
    const { title, tags, method, path } = operation;
    return completeSpec({
      name: `${this.#options.name}/${operation.name}`,
      type: operation.type,
      // By the method, for every type: a stream can be a write too.
      mutates: !READING_METHODS.has(operation.method),
      // RFC 9110, section 9.2.2.
      ...(IDEMPOTENT_WRITES.has(operation.method) && { idempotent: true }),
      ...(title !== undefined && { title }),
      description: operation.description,
      ...(tags.length > 0 && { tags }),
      ...(operation.deprecated && { deprecated: "The document says that this is deprecated." }),
      inputSchema: operation.inputSchema,
      outputSchema: operation.outputSchema,
      errors: this.#errors.listOf(operation),
      annotations: { http: `${method} ${path}` },
    });
  }

  /** The operation without invisible characters in the texts that models read; or the reason why that fails. */
  #visible(operation: ApiOperation): ApiOperation | string {
    const { title, description, tags, inputSchema, outputSchema, errors } = operation;
    try {
      const texts = { title, description, tags, inputSchema, outputSchema, errors };
      return { ...operation, ...(withoutInvisible(texts, this.#seen) as Partial<ApiOperation>) };
    } catch (error) {
      if (error instanceof ImportError) return `cannot be used: ${error.message}`;
      throw error;
    }
  }

  #overrideOf({ name }: ApiOperation): ApiOverride {
    const { name: namespace, operations } = this.#options;
    const key = [name, `${namespace}/${name}`].find((each) => Object.hasOwn(operations, each));
    return (key !== undefined && operations[key]) || {};
  }

  #serverOf(operation: ApiOperation): string | undefined {
    const { servers } = operation;
    const key = servers.join(" ");
    if (!this.#servers.has(key)) this.#servers.set(key, this.#findServer(servers));
    const server = this.#servers.get(key);
    if (server === undefined) this.#hasNoServer = true;
    else this.origins.add(new URL(server).origin);
    for (const url of tokenUrlsOf(operation, server)) this.origins.add(url.origin);
    return server;
  }

  /** The parts of the document that decide where calls, credentials and parameters go, for the lock. */
  #targetOf(operation: ApiOperation, server: string | undefined): UnknownRecord {
    const { parameters, body, security } = operation;
    const tokenUrls = tokenUrlsOf(operation, server).map(({ href }) => href);
    return {
      ...(!this.#options.server && server !== undefined && { server }),
      ...(tokenUrls.length > 0 && { tokenUrls }),
      ...(security && { security: security.map((all) => all.map(schemeText).join(" and ") || "none") }),
      ...(parameters.length > 0 && {
        parameters: Object.fromEntries(parameters.map((each) => [each.key, parameterText(each)])),
      }),
      ...(body && { body: { mediaType: body.mediaType, fields: body.fields } }),
    };
  }

  #findServer(servers: readonly string[]): string | undefined {
    if (this.#options.server) return this.#options.server.href;
    return servers
      .map((server) => URL.parse(server, this.#document.url?.href))
      .find((url) => url?.protocol === "https:" || url?.protocol === "http:")?.href;
  }
}

function tokenUrlsOf({ security }: ApiOperation, server: string | undefined): readonly URL[] {
  return (security ?? []).flat().flatMap((scheme) => {
    const url = scheme.kind === "oauth2" && scheme.tokenUrl ? URL.parse(scheme.tokenUrl, server) : null;
    return url ? [url] : [];
  });
}

function schemeText(scheme: SecurityScheme): string {
  switch (scheme.kind) {
    case "apiKey":
      return `API key ${scheme.id} in the ${scheme.place} as ${scheme.name}`;
    case "oauth2":
      return `OAuth token${scheme.scopes.length > 0 ? ` with ${scheme.scopes.join(" ")}` : ""}`;
    case "bearer":
    case "basic":
    case "unsupported":
      return scheme.kind;
  }
}

function parameterText({ name, place, style, explode, allowReserved, json }: ApiParameter): string {
  const ways = [json ? "JSON" : style, explode && "exploded", allowReserved && "reserved characters kept"];
  return `${place} ${name}, ${ways.filter(Boolean).join(", ")}`;
}

/** The parts that a handler needs: it outlives the import. */
function callPartsOf(operation: ApiOperation): ApiOperation {
  return { ...operation, description: "", tags: [], errors: [], inputSchema: true, outputSchema: true };
}

function problemOf(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return `is longer than ${MAX_NAME_LENGTH} characters; give it a name`;
  return problemOfName(name);
}
