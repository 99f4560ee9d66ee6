import { rowOf } from "./errors.ts";
import { isRecord } from "./json.ts";
import {
  type AccessControl,
  type ErrorDefinition,
  namespaceOf,
  OPERATION_TYPES,
  type OperationSpec,
  problemOfName,
} from "./operation.ts";
import type { SchemaValidator } from "./ports.ts";
import { contradictionsIn, type Preset, problemsOfPreset } from "./preset.ts";
import { type Handler, type Provenance, type Registration, RegistrationError } from "./registration.ts";

const VISIBILITIES: readonly unknown[] = ["external", "internal"] satisfies OperationSpec["visibility"][];
const PROVENANCES: readonly unknown[] = [
  "local",
  "from-mcp",
  "from-openapi",
  "from-call",
] satisfies Provenance[];
const ACCESS_KEYS: readonly string[] = ["authenticated", "scopes", "anyScope", "resource"];
const SCHEMAS = ["inputSchema", "outputSchema"] as const;

/** Finds the problem of a schema. */
export type SchemaCheck = Pick<SchemaValidator, "problemOfSchema">;

/** Refuses a registration that does not hold together, with a sentence that says how to fix it. */
export function checkRegistration(registration: Registration, schemas?: SchemaCheck): void {
  for (const problem of problemsOf(registration, schemas)) {
    throw new RegistrationError(`Operation ${JSON.stringify(registration.spec.name)} ${problem}.`);
  }
}

/** The problem of a handler, as far as it shows without running it. */
export function problemOfHandler(type: OperationSpec["type"], run: unknown): string | undefined {
  if (typeof run !== "function") return "has no handler; give it a function as handler";
  const kind = Object.prototype.toString.call(run);
  if (type === "subscription")
    return kind === "[object AsyncFunction]" || kind === "[object GeneratorFunction]"
      ? "is a subscription, whose handler must be an async generator: async *handler(input, context) {…}"
      : undefined;
  return kind.includes("Generator")
    ? `is a ${type}, whose handler answers once; make it a subscription, or the handler a plain or async function`
    : undefined;
}

function* problemsOf(registration: Registration, schemas: SchemaCheck | undefined): Iterable<string> {
  const { spec, handler, provenance } = registration;
  yield* problemsOfNames(spec);
  yield* problemsOfTexts(spec);
  yield* problemsOfKind(spec, handler);
  for (const key of SCHEMAS) if (!isSchema(spec[key])) yield `has no JSON Schema as ${key}`;
  yield* problemsOfErrors(spec.errors);
  if (!PROVENANCES.includes(provenance))
    yield `has the provenance ${JSON.stringify(provenance)}; it must be one of ${PROVENANCES.join(", ")}`;
  yield* problemsOfIdempotence(spec);
  yield* problemsOfDryRun(spec, provenance);
  yield* problemsOfTools(registration);
  if (provenance === "local") return yield* problemsOfContract(spec, schemas);
  if (registration.authority || registration.scopedEnv)
    yield `comes ${provenance} and may not compose others; only local operations have authority and env`;
}

const isText = (value: unknown) => typeof value === "string" && value !== "";
type Fit = readonly [fits: (value: unknown) => boolean, what: string];
/** The keys of a tool, with what they take. */
const TOOL_KEYS: Readonly<Record<string, Fit>> = {
  name: [isText, "a text"],
  operation: [isText, "a text"],
  description: [isText, "a text"],
  input: [isRecord, "an object"],
  pick: [isListOfTexts, "a list of texts"],
  rename: [(value) => isRecord(value) && Object.values(value).every(isText), "an object of texts"],
  into: [isText, "a text"],
} satisfies Partial<Record<keyof Preset, Fit>>;

function* problemsOfTools({ spec, provenance, tools = [] }: Registration): Iterable<string> {
  if (tools.length > 0 && provenance !== "local")
    yield `comes ${provenance} and may not have tools; only local operations have them`;
  for (const tool of tools) {
    const [problem] = problemsOfTool(tool, spec);
    if (problem !== undefined)
      yield `has the tool ${JSON.stringify(tool.name)}, which cannot work: ${problem.replace(/\.$/, "")}`;
  }
}

function* problemsOfTool(tool: Preset, spec: OperationSpec): Iterable<string> {
  for (const [key, value] of Object.entries(tool)) {
    const [fits, what] = (Object.hasOwn(TOOL_KEYS, key) && TOOL_KEYS[key]) || [];
    if (!fits) yield `it has the unknown key ${JSON.stringify(key)}`;
    else if (value !== undefined && !fits(value)) yield `its ${key} is not ${what}`;
  }
  yield* contradictionsIn(tool);
  yield* problemsOfPreset(tool, spec, undefined);
}

function* problemsOfNames({ name, namespace, aliases = [] }: OperationSpec): Iterable<string> {
  if (!isListOfTexts(aliases)) return yield "has aliases that are not a list of texts";
  for (const each of [name, ...aliases]) {
    const problem = problemOfName(each);
    if (problem) yield each === name ? problem : `has the alias "${each}", which ${problem}`;
  }
  if (namespace !== namespaceOf(name)) yield `says namespace "${namespace}"; it is the first segment`;
}

function* problemsOfTexts(spec: OperationSpec): Iterable<string> {
  if (typeof spec.description !== "string")
    yield "has no description; say in a sentence what it does and when to use it";
  if (spec.tags !== undefined && !isListOfTexts(spec.tags)) yield "has tags that are not a list of texts";
  for (const key of ["title", "version", "deprecated"] as const)
    if (spec[key] !== undefined && typeof spec[key] !== "string") yield `has a ${key} that is not a text`;
}

function* problemsOfKind({ type, visibility }: OperationSpec, handler: Handler): Iterable<string> {
  if (!OPERATION_TYPES.includes(type))
    yield `has the type ${JSON.stringify(type)}; it must be query, mutation or subscription`;
  if (!VISIBILITIES.includes(visibility))
    yield `has the visibility ${JSON.stringify(visibility)}; it must be external or internal`;
  const fits = type === "subscription" ? "stream" : "once";
  if (handler?.kind !== fits)
    yield `is a ${type} with a "${handler?.kind}" handler; a ${type} needs a "${fits}" handler`;
  const problem = problemOfHandler(type, handler.run);
  if (problem) yield problem;
}

function* problemsOfErrors(errors: readonly ErrorDefinition[]): Iterable<string> {
  if (!Array.isArray(errors)) return yield "has errors that are not a list";
  for (const { code } of errors) {
    if (rowOf(code)) yield `declares the error ${code}, which the gateway owns; choose a code of its own`;
  }
}

/** Rules for local operations only: an imported spec was written elsewhere, and its adapter makes the best of it. */
function* problemsOfContract(spec: OperationSpec, schemas: SchemaCheck | undefined): Iterable<string> {
  if (spec.description.trim() === "")
    yield "has an empty description; say in a sentence what it does and when to use it";
  yield* problemsOfAccess(spec.access);
  yield* problemsOfResource(spec);
  for (const key of SCHEMAS) {
    const problem = schemas?.problemOfSchema(spec[key]);
    if (problem) yield `has an ${key} that is not a JSON Schema: ${problem}`;
  }
  for (const { code, description, schema = true, httpStatus = 500 } of spec.errors) {
    if (typeof code !== "string" || code === "")
      yield "declares an error without a code; give it one such as NO_TICKET";
    if (typeof description !== "string") yield `declares the error ${code} without a description`;
    if (!Number.isInteger(httpStatus) || httpStatus < 400 || httpStatus > 599)
      yield `declares the error ${code} with the httpStatus ${httpStatus}; it must be between 400 and 599`;
    const problem = isSchema(schema) ? schemas?.problemOfSchema(schema) : "it must be an object or a boolean";
    if (problem) yield `declares the error ${code} with a schema that is not a JSON Schema: ${problem}`;
  }
}

function* problemsOfIdempotence({ idempotent }: OperationSpec): Iterable<string> {
  if (idempotent !== undefined && typeof idempotent !== "boolean")
    yield `has idempotent: ${JSON.stringify(idempotent)}; leave it out, or say true or false`;
}

function* problemsOfDryRun({ dry, mutates }: OperationSpec, provenance: Provenance): Iterable<string> {
  if (dry === undefined) return;
  if (dry !== "handled") yield `has dry: ${JSON.stringify(dry)}; leave it out, or say "handled"`;
  if (!mutates) yield 'has dry: "handled" but changes nothing; leave it out';
  if (provenance !== "local") yield `comes ${provenance}, and no dry run reaches its handler; leave out dry`;
}

/** A slip here would open an operation. */
function* problemsOfAccess(access: AccessControl): Iterable<string> {
  if (!isRecord(access)) return yield "has an access that is not an object";
  for (const key of Object.keys(access))
    if (!ACCESS_KEYS.includes(key)) yield `has access.${key}; access knows ${ACCESS_KEYS.join(", ")}`;
  for (const key of ["scopes", "anyScope"] as const)
    if (access[key] !== undefined && !isListOfTexts(access[key]))
      yield `has access.${key} that is not a list of texts`;
}

const RESOURCE_KEYS: readonly string[] = ["type", "action", "idPath", "list"];

/** No caller could use an operation whose resource cannot be found; a list that callers must write themselves would not be theirs. */
function* problemsOfResource({ access: { resource }, inputSchema }: OperationSpec): Iterable<string> {
  if (resource === undefined) return;
  if (!isRecord(resource)) return yield "has an access.resource that is not an object";
  for (const key of Object.keys(resource))
    if (!RESOURCE_KEYS.includes(key))
      yield `has access.resource.${key}; a resource knows ${RESOURCE_KEYS.join(", ")}`;
  const { type, action, idPath, list } = resource;
  if (typeof type !== "string" || typeof action !== "string")
    yield "has an access.resource without type or action; both are texts, as project and read";
  if ((idPath === undefined) === (list === undefined))
    yield "must say in access.resource either idPath, where the input has the id, or list, which property receives the ids";
  if (idPath !== undefined && (typeof idPath !== "string" || !idPath.startsWith("/")))
    yield `has the access.resource.idPath ${JSON.stringify(idPath)}; it is a JSON pointer into the input, as /id`;
  if (list === undefined) return;
  const argument = isRecord(list) ? list.argument : undefined;
  if (typeof argument !== "string")
    return yield "has an access.resource.list without an argument, the property of the input that receives the ids";
  const { properties, required } = isRecord(inputSchema) ? inputSchema : {};
  if (!isRecord(properties) || !Object.hasOwn(properties, argument))
    yield `lists into the argument "${argument}", which its inputSchema does not have; add it as an array of texts`;
  if (Array.isArray(required) && required.includes(argument))
    yield `lists into the argument "${argument}", which its inputSchema requires of callers; the gateway fills it in`;
}

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isRecord(value);
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
