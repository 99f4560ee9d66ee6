import { CommandFailed, type Invocation, type Outcome, UsageError } from "../../command.ts";
import { outputOf, withNode } from "../../node.ts";
import { CALL_EXIT } from "../../options.ts";

/** Prints the specs of some operations. */
export async function runSchema(invocation: Invocation): Promise<Outcome> {
  const { words, switches, terminal } = invocation;
  if (words.length === 0)
    throw new UsageError("Say which operation: pinhole schema text/stats. To find one: pinhole search …");
  const { requestId: _, ...answer } = outputOf(
    await withNode(invocation, (node) => node.ask("schema", { names: words })),
  );
  const operations = (answer.operations ?? []) as readonly ShownSpec[];
  const missing = (answer.missing ?? []) as readonly string[];
  if (switches.has("json")) {
    terminal.print(JSON.stringify(answer, null, 2));
    return missing.length > 0 ? CALL_EXIT.notFound : undefined;
  }
  if (operations.length > 0)
    terminal.print(
      [
        ...operations.map((spec) => textOfSpec(spec, terminal.emphasise)),
        ...(typeof answer.note === "string" ? [answer.note] : []),
      ].join("\n\n"),
    );
  if (missing.length === 0) return undefined;
  const nearest = Object.values((answer.nearest ?? {}) as Readonly<Record<string, readonly string[]>>).flat();
  const hint = nearest.length > 0 ? ` Did you mean ${[...new Set(nearest)].join(" or ")}?` : "";
  const names = missing.join(", ");
  throw new CommandFailed(CALL_EXIT.notFound, `There is no ${names}.${hint} To find one: pinhole search …`);
}

/** Output of `services/schema` for one operation, as far as it is shown. */
interface ShownSpec {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly errors?: readonly { readonly code: string; readonly description?: string }[];
  readonly deprecated?: unknown;
}

type Schema = Readonly<Record<string, unknown>>;
const WIDEST_NAME = 30;
const MOST_STEPS = 10;

/** A spec for people: input key by key, output and errors. */
function textOfSpec(spec: ShownSpec, emphasise: (text: string) => string): string {
  const rows = rowsOf(recordOf(spec.inputSchema), "", recordOf(spec.inputSchema));
  const errors = (spec.errors ?? []).map(({ code, description = "" }): readonly [string, string] => [
    code,
    description,
  ]);
  return [
    `${emphasise(spec.name)}  ${spec.type}${spec.deprecated === undefined ? "" : "  deprecated"}`,
    ...indent(spec.description.split("\n")),
    rows.length === 0 ? "Input: none" : "Input:",
    ...table(rows),
    `Output: ${typeOf(spec.outputSchema, recordOf(spec.outputSchema)) || "anything"}`,
    ...(errors.length === 0 ? [] : ["Errors:", ...table(errors)]),
  ].join("\n");
}

/** A key for each row; the keys of an object in it follow, as they can be typed: `body.title`. */
function rowsOf(given: Schema, prefix: string, root: Schema): readonly (readonly [string, string])[] {
  const required = Array.isArray(given.required) ? given.required : [];
  return Object.entries(recordOf(given.properties)).flatMap(([name, written]) => {
    const schema = resolved(written, root);
    const about = textIn(written, "description") || textIn(schema, "description");
    const text = [typeOf(schema, root), about].filter((part) => part !== "").join("  ");
    const row = [`${prefix}${name}${required.includes(name) ? "" : "?"}`, text] as const;
    return [row, ...(prefix === "" ? rowsOf(schema, `${name}.`, root) : [])];
  });
}

function typeOf(given: unknown, root: Schema): string {
  const schema = resolved(given, root);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const title = textIn(schema, "title");
  if (schema.type === "array") return `${typeOf(schema.items, root) || "anything"}[]`;
  const type = [schema.type]
    .flat()
    .filter((each) => typeof each === "string")
    .join(" | ");
  if (type !== "object" && type !== "") return type;
  const keys = Object.keys(recordOf(schema.properties));
  if (title !== "") return title;
  return keys.length > 0 ? `{${keys.slice(0, 6).join(", ")}${keys.length > 6 ? ", …" : ""}}` : type;
}

/** The target of a reference within the same schema. */
function resolved(given: unknown, root: Schema): Schema {
  let schema = recordOf(given);
  for (let steps = 0; steps < MOST_STEPS && typeof schema.$ref === "string"; steps++) {
    const keys = schema.$ref.startsWith("#/") ? schema.$ref.slice(2).split("/") : [];
    schema = recordOf(
      keys.reduce<unknown>((at, key) => recordOf(at)[key.replaceAll("~1", "/").replaceAll("~0", "~")], root),
    );
  }
  return schema;
}

function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.min(WIDEST_NAME, Math.max(0, ...rows.map(([name]) => name.length)));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text.replaceAll("\n", " ")}`.trimEnd());
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line === "" ? "" : `  ${line}`));
}

function textIn(schema: unknown, key: string): string {
  const value = recordOf(schema)[key];
  return typeof value === "string" ? value : "";
}

function recordOf(value: unknown): Schema {
  return typeof value === "object" && value !== null ? (value as Schema) : {};
}
