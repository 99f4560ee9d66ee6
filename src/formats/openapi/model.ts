import type { JsonSchema, OperationType } from "../../core/index.ts";

/** Location of a parameter. */
export type ParameterPlace = "path" | "query" | "header" | "cookie";

/** Serialization of a list or object (OpenAPI 3.1, section 4.8.12.2); `tabDelimited` is Swagger 2 only. */
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "tabDelimited"
  | "deepObject";

/** One parameter of an operation. */
export interface ApiParameter {
  /** The key in the input. */
  readonly key: string;
  /** The name in the request. */
  readonly name: string;
  readonly place: ParameterPlace;
  readonly required: boolean;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** The value is written as JSON, whatever its style. */
  readonly json: boolean;
}

/** Serialization of a body. */
export type BodyKind = "json" | "form" | "multipart" | "text" | "binary";

/** Serialization of a form field, if it is not the default. */
export interface FieldEncoding {
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly contentType?: string;
  /** The input holds it as base64. */
  readonly binary?: boolean;
}

/** The body of a request. */
export interface ApiBody {
  readonly kind: BodyKind;
  readonly mediaType: string;
  readonly required: boolean;
  readonly fields: Readonly<Record<string, FieldEncoding>>;
}

/** An error that the document tells of. */
export interface ApiError {
  /** A range covers its statuses without their own error, `other` all remaining ones. */
  readonly status: number | "3XX" | "4XX" | "5XX" | "other";
  readonly description: string;
  /** Schema of the response body, if the document has one. */
  readonly body?: JsonSchema;
}

/** A security scheme. */
export type SecurityScheme =
  | { readonly kind: "bearer" }
  | { readonly kind: "basic" }
  | {
      readonly kind: "apiKey";
      /** Name of the scheme in the document. */
      readonly id: string;
      readonly place: "header" | "query" | "cookie";
      readonly name: string;
    }
  | { readonly kind: "oauth2"; readonly tokenUrl?: string; readonly scopes: readonly string[] }
  | { readonly kind: "unsupported" };

/** One operation of a document, ready to be called. */
export interface ApiOperation {
  /** Without a namespace; unique within the document. */
  readonly name: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly type: OperationType;
  readonly title?: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  readonly parameters: readonly ApiParameter[];
  readonly body?: ApiBody;
  /** The media types that the answer may have. */
  readonly accept: string;
  /** The event stream of an operation that can also answer at once: its media types and the schema of its items. */
  readonly events?: { readonly accept: string; readonly itemSchema: JsonSchema };
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly errors: readonly ApiError[];
  /** Addresses with their variables filled in, the best first; they may be relative to the document. */
  readonly servers: readonly string[];
  /** Alternative sets of required schemes; undefined if the document does not say. */
  readonly security: readonly (readonly SecurityScheme[])[] | undefined;
}

/** A problem of the import, with its place. */
export interface ApiWarning {
  /** Such as `GET /pets/{id}`; empty for the whole document. */
  readonly where: string;
  readonly message: string;
  /** The operation is not among the others. */
  readonly leftOut: boolean;
}

/** A document as the rest of the program sees it, whatever its version. */
export interface ApiDocument {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly version: string | undefined;
  /** Names of the API keys in the document. */
  readonly apiKeys: readonly string[];
  readonly operations: readonly ApiOperation[];
  readonly warnings: readonly ApiWarning[];
}
