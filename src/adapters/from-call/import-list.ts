import {
  completeSpec,
  createRedactor,
  createSourceRules,
  ERROR_TABLE,
  type ErrorDefinition,
  type Handler,
  ImportError,
  isRecord,
  type JsonSchema,
  namespaceOf,
  OPERATION_TYPES,
  type OperationSpec,
  type OperationType,
  problemOfName,
  RESERVED_NAMESPACES,
  type Redactor,
  type Registration,
  type SourceOptions,
  type SourceRules,
  type UnknownRecord,
  withoutInvisible,
} from "../../core/index.ts";
import { MAX_HOPS } from "../../protocol/index.ts";

interface ImportRules
  extends Omit<SpecRules, "isListed">,
    Pick<SourceOptions, "external" | "scopes" | "public" | "operations" | "capabilities"> {
  /** The code of an operation, by its name at the node. */
  readonly handlerOf: (spec: OperationSpec, remoteName: string) => Handler;
  /** Other operations of this node that its calls run as. */
  readonly runsAs?: (remoteName: string) => readonly string[];
  /** The id of this node; operations that would lead back to it are not imported. */
  readonly nodeId: string;
  /** The current secrets of the source, which are redacted from the node's definitions. */
  readonly secrets?: (() => readonly string[]) | undefined;
}

interface ImportedList {
  readonly registrations: readonly Registration[];
  readonly leftOut: readonly ImportError[];
  /** Names at this node, by the names at the other. */
  readonly names: ReadonlyMap<string, string>;
  /** Settings of the operator that have no effect. */
  readonly warnings: readonly string[];
}

/**
 * Turns a node's list into registrations. Operations that come from this node, through however many others, are skipped
 * silently: in a ring, each round would make the names longer (decision 035).
 */
export function importList(listed: readonly unknown[], rules: ImportRules): ImportedList {
  const names = new Set(listed.map((each) => (isRecord(each) ? each.name : undefined)));
  const sourceRules = createSourceRules(rules);
  const taken = new Set<string>();
  const local = new Map<string, string>();
  const registrations: Registration[] = [];
  const leftOut: ImportError[] = [];
  const redactor = createRedactor(rules.secrets?.() ?? []);
  for (const each of listed) {
    try {
      const registration = toRegistration(each, {
        ...rules,
        redactor,
        sourceRules,
        isListed: (name) => names.has(name),
      });
      if (!registration) continue;
      const { name, aliases = [] } = registration.spec;
      const twice = [name, ...aliases].find((known) => taken.has(known));
      if (twice !== undefined)
        throw new ImportError(
          "NAME_COLLISION",
          `two operations would be named ${twice}; the first one stays`,
        );
      for (const known of [name, ...aliases]) taken.add(known);
      registrations.push(registration);
      local.set(remoteNameOf(each), name);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      leftOut.push(error);
    }
  }
  return { registrations, leftOut, names: local, warnings: sourceRules.problems() };
}

function toRegistration(
  listed: unknown,
  rules: ImportRules & SpecRules & { readonly redactor: Redactor; readonly sourceRules: SourceRules },
): Registration | undefined {
  const remoteName = remoteNameOf(listed);
  // A node's own services stay there: here every caller of its operations could call them.
  if (!isRecord(listed) || RESERVED_NAMESPACES.has(namespaceOf(remoteName))) return undefined;
  const via = viaOf(listed);
  if (via.includes(rules.nodeId) || via.length >= MAX_HOPS) return undefined;
  const spec: OperationSpec = rules.sourceRules.apply(
    readSpec(rules.redactor.value(withoutInvisible(listed)), rules),
    remoteName,
  );
  return {
    spec,
    handler: rules.handlerOf(spec, remoteName),
    provenance: "from-call",
    public: rules.public,
    ...(via.length > 0 && { via }),
    ...(rules.runsAs && { runsAs: rules.runsAs(remoteName) }),
    ...(listed.selects === true && { selects: true }),
    ...(rules.capabilities && { capabilities: rules.capabilities }),
  };
}

const TYPES: readonly unknown[] = OPERATION_TYPES;
const MAX_LISTED = 64;
const MAX_TEXT = 65_536;
const MAX_SHORT = 200;
const MAX_NODE = 128;

/** Facts about an operation that this node decides. */
interface SpecRules {
  /** The first part of its name, without the slash. */
  readonly prefix: string;
  /** True if the node has an operation of this name, so that `deprecated` must name it as it is called here. */
  readonly isListed: (remoteName: string) => boolean;
}

/** The name of an operation at its own node. Throws an ImportError if there is none. */
export function remoteNameOf(listed: unknown): string {
  if (!isRecord(listed) || typeof listed.name !== "string" || listed.name.length > MAX_SHORT)
    throw new ImportError("SCHEMA_PARSE", "something in the list is not an operation with a name");
  return listed.name;
}

/** The nodes that a call would pass, beginning with the one that lists it. */
export function viaOf({ via }: UnknownRecord): readonly string[] {
  if (!Array.isArray(via)) return [];
  const isNode = (node: unknown): node is string => typeof node === "string" && node.length <= MAX_NODE;
  return via.slice(0, MAX_LISTED).filter(isNode);
}

/** An operation of another node as one of this node. Throws an ImportError for an unusable definition. */
function readSpec(listed: UnknownRecord, rules: SpecRules): OperationSpec {
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
  if (!TYPES.includes(type)) return "has a type other than query, mutation and subscription";
  if (!isSchema(inputSchema) || !isSchema(outputSchema)) return "has a schema that is not a schema";
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

/** The table's own codes are not declared, and a `*` must not cover them. */
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
