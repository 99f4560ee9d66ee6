import { atOnce, isRecord, messageOf, type Steps, type UnknownRecord } from "../../core/index.ts";
import {
  checkSize,
  type Dialect,
  type DocumentLimits,
  DocumentRefused,
  dialectOf,
} from "./check-document.ts";
import { inputOf } from "./input-of.ts";
import type { ApiDocument, ApiOperation, ApiWarning } from "./model.ts";
import { OperationNames } from "./operation-names.ts";
import { readBody, readSwaggerBody } from "./read-body.ts";
import { readParameters } from "./read-parameters.ts";
import { readResponses, toError, typeOf, withoutBody } from "./read-responses.ts";
import { readSchemes, readSecurity } from "./read-security.ts";
import { readSwaggerServers, ServerReader } from "./read-servers.ts";
import type { PartKind, Reading } from "./reading.ts";
import { type DocumentFiles, type Located, References } from "./references.ts";
import { SchemaPool } from "./schema-pool.ts";

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options", "query"] as const;
const MAX_DESCRIPTION = 4_000;

/** Options of readDocument. */
interface ReadDocumentOptions {
  readonly limits?: DocumentLimits;
  /** Values for the variables of servers, instead of the document's own. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Reads a document at once; see `readingSteps`. */
export function readDocument(documents: DocumentFiles, options: ReadDocumentOptions = {}): ApiDocument {
  return atOnce(readingSteps(documents, options));
}

/**
 * Reads a parsed document of Swagger 2 or OpenAPI 3. Throws a DocumentRefused for any other document, or one that
 * is too large; a single invalid operation is left out with a warning.
 */
export function* readingSteps(
  documents: DocumentFiles,
  { limits, variables = {} }: ReadDocumentOptions = {},
): Steps<ApiDocument> {
  const { root, dialect } = dialectOf(documents.root);
  let hasWriteOnly = false;
  for (const text of [root, ...(documents.files?.values() ?? [])]) {
    const facts = yield* checkSize(text, limits);
    hasWriteOnly ||= facts.hasWriteOnly;
  }
  return yield* new DocumentReader(documents, { root, dialect, hasWriteOnly, variables }).read();
}

/** Facts about a document before its operations are read. */
interface DocumentStart {
  readonly root: UnknownRecord;
  readonly dialect: Dialect;
  readonly hasWriteOnly: boolean;
  readonly variables: Readonly<Record<string, string>>;
}

class DocumentReader {
  readonly #root: UnknownRecord;
  readonly #reading: Reading;
  readonly #names = new OperationNames();
  readonly #warnings: ApiWarning[] = [];
  readonly #made = new Map<object, Map<PartKind, object>>();
  readonly #security = new Map<object, ApiOperation["security"]>();
  readonly #serverReader: ServerReader;
  #servers: readonly string[] = [];
  #where = "";

  constructor(documents: DocumentFiles, { root, dialect, hasWriteOnly, variables }: DocumentStart) {
    this.#root = root;
    const references = new References(documents);
    const components = isRecord(root.components) ? root.components : {};
    const pool = new SchemaPool(references, { dialect, direction: "request" });
    this.#reading = {
      dialect,
      references,
      pool,
      answers: hasWriteOnly ? new SchemaPool(references, { dialect, direction: "answer" }) : pool,
      schemes: readSchemes(root.securityDefinitions ?? components.securitySchemes, references),
      errors: new Map(),
      once: (as, part, make) => this.#once(as, part, make),
      warn: (message) => this.#warn(message, false),
    };
    this.#serverReader = new ServerReader(variables);
  }

  *read(): Steps<ApiDocument> {
    const { info, paths } = this.#root;
    if (!isRecord(paths) && !isRecord(this.#root.webhooks))
      throw new DocumentRefused("The document has no `paths`, so there is nothing to call.");
    this.#servers =
      this.#reading.dialect === "swagger-2"
        ? readSwaggerServers(this.#root)
        : ((yield* this.#serverReader.read(this.#root.servers)) ?? ["/"]);
    const operations: ApiOperation[] = [];
    for (const [path, item] of Object.entries(isRecord(paths) ? paths : {})) {
      if (path.startsWith("x-")) continue;
      operations.push(...(yield* this.#readPath(path.startsWith("/") ? path : `/${path}`, item)));
    }
    this.#serverReader.check();
    const { pool, answers, schemes } = this.#reading;
    const unresolved = new Set([...pool.unresolved, ...answers.unresolved]);
    this.#where = "";
    if (unresolved.size > 0) {
      const some = [...unresolved].slice(0, 5).join(", ");
      this.#warn(`${unresolved.size} references of schemas lead nowhere and allow anything: ${some}`, false);
    }
    const about = isRecord(info) ? info : {};
    return {
      title: textOf(about.title),
      description: textOf(about.description),
      version: textOf(about.version),
      apiKeys: [...schemes].filter(([, { kind }]) => kind === "apiKey").map(([id]) => id),
      operations,
      warnings: this.#warnings,
    };
  }

  *#readPath(path: string, item: unknown): Steps<readonly ApiOperation[]> {
    const located = this.#reading.references.follow(item, "");
    this.#where = path;
    if (!located) {
      this.#warn("the path is not an object, or its reference is broken", true);
      return [];
    }
    if (located.value.trace !== undefined) {
      this.#where = `TRACE ${path}`;
      this.#warn(
        "this method repeats to the caller what was sent, credentials included, and is not used",
        true,
      );
    }
    const operations: ApiOperation[] = [];
    for (const method of METHODS) {
      if (located.value[method] === undefined) continue;
      this.#where = `${method.toUpperCase()} ${path}`;
      try {
        operations.push(yield* this.#readOperation(method.toUpperCase(), path, located));
      } catch (error) {
        if (error instanceof DocumentRefused) throw error;
        this.#warn(messageOf(error), true);
      }
      yield;
    }
    return operations;
  }

  *#readOperation(method: string, path: string, { value: item, file }: Located): Steps<ApiOperation> {
    const operation = item[method.toLowerCase()];
    if (!isRecord(operation)) throw new Error("the operation is not an object");
    const reading = this.#reading;
    const isSwagger = reading.dialect === "swagger-2";
    const lists = [item.parameters, operation.parameters].map((value) => ({ value, file }));
    const { parameters: read, swagger } = yield* readParameters(lists, { path, reading });
    const body = isSwagger
      ? yield* readSwaggerBody(swagger, operation.consumes ?? this.#root.consumes, reading)
      : yield* readBody(operation.requestBody, file, reading);
    const produces = isSwagger ? (operation.produces ?? this.#root.produces ?? []) : undefined;
    const declared = yield* readResponses({ value: operation.responses, file }, { produces, reading });
    const responses = method === "HEAD" ? withoutBody(declared) : declared;
    yield* reading.pool.settle();
    yield* reading.answers.settle();
    const errors: ApiOperation["errors"][number][] = [];
    for (const error of responses.errors) {
      errors.push(yield* toError(error, reading));
      yield;
    }
    const servers =
      (yield* this.#serverReader.read(operation.servers)) ??
      (yield* this.#serverReader.read(item.servers)) ??
      this.#servers;
    const input = yield* inputOf(read, body, reading.pool);
    const outputSchema = yield* reading.answers.whole(responses.output);
    const events = responses.events && {
      accept: responses.events.accept,
      itemSchema: yield* reading.answers.whole(responses.events.items),
    };
    const title = textOf(operation.summary);
    const { taken: _, ...sent } = body ?? { taken: undefined };
    return {
      name: this.#names.nameFor(operation.operationId, method, path),
      method,
      path,
      type: typeOf(method, responses),
      ...(title !== undefined && { title: title.slice(0, 200) }),
      description: describe(
        title,
        textOf(operation.description) ?? textOf(item.description),
        `${method} ${path}`,
      ),
      tags: Array.isArray(operation.tags) ? operation.tags.filter((tag) => typeof tag === "string") : [],
      deprecated: operation.deprecated === true,
      ...input,
      ...(body && { body: sent as ApiOperation["body"] & object }),
      accept: responses.accept,
      ...(events && { events }),
      outputSchema,
      errors,
      servers,
      security: this.#securityOf(operation),
    };
  }

  #securityOf({ security = this.#root.security }: UnknownRecord): ApiOperation["security"] {
    if (!Array.isArray(security)) return undefined;
    const known = this.#security.get(security) ?? readSecurity(security, this.#reading.schemes);
    this.#security.set(security, known);
    return known;
  }

  *#once<Made extends object>(as: PartKind, part: object, make: () => Steps<Made>): Steps<Made> {
    const known = this.#made.get(part) ?? new Map<PartKind, object>();
    this.#made.set(part, known);
    const made = (known.get(as) as Made | undefined) ?? (yield* make());
    known.set(as, made);
    return made;
  }

  #warn(message: string, leftOut: boolean): void {
    this.#warnings.push({ where: this.#where, message, leftOut });
  }
}

function describe(title: string | undefined, description: string | undefined, otherwise: string): string {
  const more = description === title ? undefined : description;
  // A summary is seldom a whole sentence; shown in one line with the rest it must end like one.
  const first = title && more && !/[.!?:]$/.test(title) ? `${title}.` : title;
  const text = [first, more].filter((part) => part !== undefined).join("\n\n");
  return text === "" ? otherwise : text.slice(0, MAX_DESCRIPTION);
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}
