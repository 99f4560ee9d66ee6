import {
  completeSpec,
  ERROR_TABLE,
  type ErrorDefinition,
  ImportError,
  isRecord,
  type JsonSchema,
  OPERATION_TYPES,
  type OperationSpec,
  type OperationType,
  problemOfName,
  type UnknownRecord,
} from "../../core/index.ts";

const TYPES: readonly unknown[] = OPERATION_TYPES;
const MAX_LISTED = 64;
const MAX_TEXT = 65_536;
const MAX_SHORT = 200;
const MAX_NODE = 128;

/** What is decided here about an operation, whatever its node says. */
export interface SpecRules {
  /** What stands before its name, without the slash. */
  readonly prefix: string;
  /** Whether the node has an operation of this name, so that advice to use that one must name it as it is called here. */
  readonly isListed: (remoteName: string) => boolean;
}

/** The name of an operation at its own node; throws an ImportError for what has none. */
export function remoteNameOf(listed: unknown): string {
  if (!isRecord(listed) || typeof listed.name !== "string" || listed.name.length > MAX_SHORT)
    throw new ImportError("SCHEMA_PARSE", "something in the list is no operation with a name");
  return listed.name;
}

/** By which nodes a call would go, the one that lists it first; none where it does not say so. */
export function viaOf({ via }: UnknownRecord): readonly string[] {
  if (!Array.isArray(via)) return [];
  const isNode = (node: unknown): node is string => typeof node === "string" && node.length <= MAX_NODE;
  return via.slice(0, MAX_LISTED).filter(isNode);
}

/** An operation of another node as one of this. Throws an ImportError for a definition that cannot be used. */
export function readSpec(listed: UnknownRecord, rules: SpecRules): OperationSpec {
  const { prefix, isListed } = rules;
  const remoteName = remoteNameOf(listed);
  const deprecated = textOf(listed.deprecated, MAX_TEXT);
  const instead = deprecated !== undefined && isListed(deprecated) ? `${prefix}/${deprecated}` : deprecated;
  const name = `${prefix}/${remoteName}`;
  const problem = problemOfName(name) ?? problemOf(listed);
  if (problem !== undefined)
    throw new ImportError("SCHEMA_PARSE", `the operation ${JSON.stringify(remoteName)} ${problem}`);
  const aliases = [...new Set(textsOf(listed.aliases))]
    .map((alias) => `${prefix}/${alias}`)
    .filter((alias) => alias !== name && problemOfName(alias) === undefined);
  const tags = textsOf(listed.tags);
  const { inputSchema = true, outputSchema = true } = listed;
  return completeSpec({
    name,
    type: listed.type as OperationType,
    description: textOf(listed.description, MAX_TEXT) ?? remoteName,
    ...(typeof listed.mutates === "boolean" && { mutates: listed.mutates }),
    ...(listed.idempotent === true && { idempotent: true }),
    ...optional("title", textOf(listed.title)),
    ...optional("version", textOf(listed.version)),
    ...optional("deprecated", instead),
    ...(tags.length > 0 && { tags }),
    ...(aliases.length > 0 && { aliases }),
    inputSchema: inputSchema as JsonSchema,
    outputSchema: outputSchema as JsonSchema,
    errors: errorsOf(listed.errors),
    ...(isRecord(listed.annotations) && { annotations: listed.annotations }),
  });
}

function problemOf({ type, inputSchema = true, outputSchema = true }: UnknownRecord): string | undefined {
  if (!TYPES.includes(type)) return "has a type that is none of query, mutation and subscription";
  if (!isSchema(inputSchema) || !isSchema(outputSchema)) return "has something for a schema that is none";
  return undefined;
}

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isRecord(value);
}

function textOf(value: unknown, maxLength = MAX_SHORT): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, maxLength) : undefined;
}

function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_LISTED).filter((each) => textOf(each) === each) as string[];
}

function optional<Key extends string>(
  key: Key,
  value: string | undefined,
): { readonly [key in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [key in Key]?: string };
}

/** Codes that every operation may answer with need no declaration, and none may be declared away by a `*`. */
function errorsOf(value: unknown): readonly ErrorDefinition[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_LISTED).flatMap((each: unknown) => {
    if (!isRecord(each) || typeof each.code !== "string") return [];
    const { code, description, schema, httpStatus, retryable } = each;
    if (!/^[A-Za-z][A-Za-z0-9_.-]{0,126}\*?$/.test(code) || Object.hasOwn(ERROR_TABLE, code)) return [];
    return [
      {
        code,
        description: textOf(description, MAX_TEXT) ?? code,
        ...(isSchema(schema) && { schema: schema as JsonSchema }),
        ...(isStatus(httpStatus) && { httpStatus }),
        ...(typeof retryable === "boolean" && { retryable }),
      },
    ];
  });
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599;
}
