import { atFragment, isRecord, type JsonSchema, pointerTo, type UnknownRecord } from "./json.ts";
import { namespaceOf, type OperationSpec, problemOfName, RESERVED_NAMESPACES } from "./operation.ts";
import { type SchemaProblem, SchemaUnusable, type SchemaValidator } from "./ports.ts";

/** A name for an operation with arguments fixed, picked or renamed. */
export interface Preset {
  readonly name: string;
  /** The operation that its calls run. */
  readonly operation: string;
  /** Instead of the description of the operation. */
  readonly description?: string | undefined;
  /** Arguments of the operation that are fixed: callers cannot give them. */
  readonly input?: UnknownRecord | undefined;
  /** Arguments of the operation that callers may give; all that are not fixed by default. */
  readonly pick?: readonly string[] | undefined;
  /** Other names for arguments of the operation: `{new: old}`. */
  readonly rename?: Readonly<Record<string, string>> | undefined;
  /** The argument of the operation under which everything goes that the caller gives. */
  readonly into?: string | undefined;
  /** An old name: it is not listed, and its callers are told the name of the operation. */
  readonly isAlias?: true;
}

/** What callers by an old name are told. */
export function noteOfAlias({ name, operation }: Preset): string {
  return `${name} is an old name: use ${operation}.`;
}

/** The input of the operation, or the arguments that the preset does not take. */
type Rewritten = { readonly input: UnknownRecord } | { readonly problems: readonly SchemaProblem[] };

/** Turns the input of a preset's caller into the input of its operation. */
export function rewritePreset(preset: Preset, given: unknown): Rewritten {
  if (!isRecord(given))
    return { problems: [{ path: "", expected: "an object", actual: JSON.stringify(given) ?? "nothing" }] };
  const { input: fixed = {}, into } = preset;
  const arguments_: [string, unknown][] = [];
  const problems: SchemaProblem[] = [];
  for (const [name, value] of Object.entries(given)) {
    const own = ownNameOf(preset, name);
    if (own !== undefined) arguments_.push([own, value]);
    else
      problems.push({
        path: pointerTo("", name),
        expected: `no argument ${JSON.stringify(name)}`,
        actual: "one",
      });
  }
  if (problems.length > 0) return { problems };
  const inner = Object.fromEntries([...arguments_, ...Object.entries(fixedOf(preset))]);
  return { input: into === undefined ? inner : { ...fixed, [into]: inner } };
}

/** The path in a caller's input that became this path in the input of the operation. */
export function pathOfCaller({ into, rename = {} }: Preset, path: string): string {
  const [, ...keys] = path.split("/");
  const inner = into !== undefined && keys[0] === escaped(into) ? keys.slice(1) : keys;
  const [first, ...rest] = inner;
  if (first === undefined) return "";
  const [renamed] = Object.entries(rename).find(([, own]) => escaped(own) === first) ?? [];
  return ["", renamed === undefined ? first : escaped(renamed), ...rest].join("/");
}

/** The spec that callers of a preset see. */
export function specOfPreset(preset: Preset, spec: OperationSpec): OperationSpec {
  const { title: _, aliases: __, ...kept } = spec;
  return {
    ...kept,
    name: preset.name,
    namespace: namespaceOf(preset.name),
    description: preset.description ?? spec.description,
    inputSchema: inputOfPreset(preset, spec.inputSchema),
    ...(preset.isAlias && { deprecated: preset.operation }),
  };
}

/** The input schema of a preset: that of its operation, picked, renamed, and without what is fixed. */
function inputOfPreset(preset: Preset, target: JsonSchema): JsonSchema {
  const { pick, rename = {} } = preset;
  const { properties, required, isOpen, definitions } = argumentsOf(preset, target);
  const names = new Map(Object.entries(rename).map(([name, own]) => [own, name]));
  const own = properties ? Object.keys(properties) : [...new Set([...(pick ?? []), ...names.keys()])];
  const given = own.filter((each) => ownNameOf(preset, names.get(each) ?? each) === each);
  return {
    type: "object",
    properties: Object.fromEntries(given.map((each) => [names.get(each) ?? each, properties?.[each] ?? {}])),
    ...(required.length > 0 && {
      required: required.filter((each) => given.includes(each)).map((each) => names.get(each) ?? each),
    }),
    additionalProperties: pick === undefined && isOpen,
    ...definitions,
  };
}

/** The reasons why a preset cannot work, whatever its operation takes, as sentences. */
export function* contradictionsIn({
  name,
  operation,
  input = {},
  pick = [],
  rename = {},
  into,
}: Preset): Iterable<string> {
  const badName = problemOfName(name);
  if (badName !== undefined) yield `the name ${badName}.`;
  else if (RESERVED_NAMESPACES.has(namespaceOf(name)))
    yield `the gateway's own operations have the namespace ${namespaceOf(name)}. Choose another one.`;
  const badOperation = problemOfName(operation);
  if (badOperation !== undefined) yield `operation: the name ${badOperation}.`;
  const inner = into === undefined ? input : input[into];
  if (inner !== undefined && !isRecord(inner))
    yield `input fixes ${into}, which "into" fills with what callers give. Leave out one of them.`;
  const fixed = Object.keys(isRecord(inner) ? inner : {});
  for (const each of fixed) {
    if (pick.includes(each)) yield `${each} is fixed by input and cannot be picked. Leave out one of them.`;
    if (Object.values(rename).includes(each))
      yield `${each} is fixed by input and cannot be renamed. Leave out one of them.`;
  }
  const olds = Object.values(rename);
  for (const old of new Set(olds))
    if (olds.filter((each) => each === old).length > 1)
      yield `rename gives ${old} two names. Keep one of them.`;
  for (const [to, old] of Object.entries(rename)) {
    if (pick.length > 0 && !pick.includes(old)) yield `rename: ${old} is not picked. Add it to pick.`;
    if (pick.includes(to) && !olds.includes(to))
      yield `rename: ${to} is picked already under its own name. Choose another name.`;
  }
}

/** The reasons why a preset cannot work with its operation, as the rest of a sentence; none if it can. */
export function* problemsOfPreset(
  preset: Preset,
  spec: OperationSpec,
  validator: Pick<SchemaValidator, "check"> | undefined,
): Iterable<string> {
  const { input = {}, into, pick = [], rename = {} } = preset;
  const whole = argumentsOf({ ...preset, into: undefined }, spec.inputSchema);
  const within = argumentsOf(preset, spec.inputSchema);
  const unknown = (name: string, { properties, isOpen }: Arguments) =>
    properties !== undefined && !isOpen && !Object.hasOwn(properties, name);
  if (into !== undefined && Object.hasOwn(input, into) && !isRecord(input[into]))
    yield `"input" fixes ${into}, which "into" fills with what callers give`;
  if (into !== undefined && unknown(into, whole)) yield `${spec.name} has no argument ${into} for "into"`;
  for (const name of Object.keys(input))
    if (unknown(name, whole)) yield `${spec.name} has no argument ${name}, which "input" fixes`;
  for (const name of pick) if (unknown(name, within)) yield `${spec.name} has no argument ${name} to pick`;
  for (const [name, own] of Object.entries(rename))
    if (unknown(own, within)) yield `${spec.name} has no argument ${own} to rename to ${name}`;
  const fixed = [
    ...Object.entries(input)
      .filter(([name]) => name !== into)
      .map(([name, value]) => ({ name, value, schema: whole.properties?.[name] })),
    ...(into === undefined ? [] : Object.entries(fixedOf(preset))).map(([name, value]) => ({
      name: `${into}.${name}`,
      value,
      schema: within.properties?.[name],
    })),
  ];
  for (const { name, value, schema } of fixed) {
    const [problem] = problemsIn(value, schema, whole.definitions, validator);
    if (problem)
      yield `the fixed ${name} does not fit ${spec.name}: expected ${problem.expected}, got ${problem.actual}`;
  }
  const names = new Map(Object.entries(rename).map(([name, own]) => [own, name]));
  for (const name of within.required) {
    const isFixed = Object.hasOwn(fixedOf(preset), name);
    if (!isFixed && ownNameOf(preset, names.get(name) ?? name) !== name)
      yield `${spec.name} requires ${name}, which is neither fixed nor picked`;
  }
  if (into !== undefined)
    for (const name of whole.required)
      if (name !== into && !Object.hasOwn(input, name))
        yield `${spec.name} requires ${name}, which is not fixed`;
}

function problemsIn(
  value: unknown,
  schema: unknown,
  definitions: UnknownRecord,
  validator: Pick<SchemaValidator, "check"> | undefined,
): readonly SchemaProblem[] {
  if (!validator || !isRecord(schema)) return [];
  try {
    return validator.check({ ...schema, ...definitions }, value);
  } catch (error) {
    if (error instanceof SchemaUnusable) return [];
    throw error;
  }
}

/** The argument of the operation that a caller's argument is; undefined if callers cannot give it. */
function ownNameOf(preset: Preset, name: string): string | undefined {
  const { pick, rename = {} } = preset;
  const isRenamed = Object.values(rename).includes(name);
  const own = Object.hasOwn(rename, name) ? rename[name] : isRenamed ? undefined : name;
  if (own === undefined || Object.hasOwn(fixedOf(preset), own)) return undefined;
  return pick === undefined || pick.includes(own) ? own : undefined;
}

/** The fixed arguments beside those of the caller. */
function fixedOf({ input = {}, into }: Preset): UnknownRecord {
  const fixed = into === undefined ? input : input[into];
  return isRecord(fixed) ? fixed : {};
}

/** What a schema says about the arguments that a preset's caller gives. */
interface Arguments {
  readonly properties: UnknownRecord | undefined;
  readonly required: readonly string[];
  /** Others may be given too. */
  readonly isOpen: boolean;
  /** Definitions that the properties may refer to. */
  readonly definitions: UnknownRecord;
}

function argumentsOf({ into }: Pick<Preset, "into">, target: JsonSchema): Arguments {
  const root = isRecord(target) ? target : {};
  const whole = resolved(root, root);
  const inner =
    into === undefined
      ? whole
      : resolved(isRecord(whole.properties) ? whole.properties[into] : undefined, root);
  const { properties, required, additionalProperties } = inner;
  return {
    properties: isRecord(properties) ? properties : undefined,
    required: Array.isArray(required) ? required.filter((each) => typeof each === "string") : [],
    isOpen: !isRecord(properties) || (additionalProperties !== undefined && additionalProperties !== false),
    definitions: {
      ...(isRecord(root.$defs) && { $defs: root.$defs }),
      ...(isRecord(root.definitions) && { definitions: root.definitions }),
    },
  };
}

function resolved(schema: unknown, root: UnknownRecord): UnknownRecord {
  let current = schema;
  for (let steps = 0; steps < 8 && isRecord(current) && typeof current.$ref === "string"; steps++)
    current = atFragment(root, current.$ref);
  return isRecord(current) ? current : {};
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
