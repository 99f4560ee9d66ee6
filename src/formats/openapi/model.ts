import type { JsonSchema, OperationType } from "../../core/index.ts";

/** Where a parameter goes. */
export type ParameterPlace = "path" | "query" | "header" | "cookie";

/** How a value that is no plain one is written (OpenAPI 3.1, section 4.8.12.2); `tabDelimited` is of Swagger 2 only. */
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

/** How a body is written. */
export type BodyKind = "json" | "form" | "multipart" | "text" | "binary";

/** How one field of a form is written, where that differs from the usual. */
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
  /** A range stands for its statuses that have no error of their own, `other` for all that have none at all. */
  readonly status: number | "3XX" | "4XX" | "5XX" | "other";
  readonly description: string;
  /** What the body of the answer holds, where the document says so. */
  readonly body?: JsonSchema;
}

/** A way to prove who calls. */
export type SecurityScheme =
  | { readonly kind: "bearer" }
  | { readonly kind: "basic" }
  | {
      readonly kind: "apiKey";
      /** What the document calls this scheme. */
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
  /** Those by which it would come as events, for an operation that can also answer at once. */
  readonly events?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly errors: readonly ApiError[];
  /** Addresses with their variables filled in, the best first; they may be relative to the document. */
  readonly servers: readonly string[];
  /** One of these sets of schemes is needed; undefined where the document says nothing at all. */
  readonly security: readonly (readonly SecurityScheme[])[] | undefined;
}

/** What could not be taken over as it stands, and where. */
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
  /** What the document calls the API keys that it knows. */
  readonly apiKeys: readonly string[];
  readonly operations: readonly ApiOperation[];
  readonly warnings: readonly ApiWarning[];
}
