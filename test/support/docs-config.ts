import { CONFIG_SCHEMA } from "../../src/adapters/index.ts";

/** As much of a schema as a table shows. */
interface Part {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly additionalProperties?: false | Part;
  readonly items?: Part;
  readonly required?: readonly string[];
  readonly flag?: string;
  readonly kinds?: Readonly<Record<string, Part>>;
}

interface Row {
  readonly key: string;
  readonly part: Part;
  readonly required: boolean;
  /** The kinds that have the key, where others have not. */
  readonly kinds?: readonly string[] | undefined;
}

/** Beyond this a bound is only there because timers end somewhere. */
const TOLD_BOUND = 1_000_000;

/** The tables of docs/configuration.md, made from the one schema. */
export function configTables(schema: Part = CONFIG_SCHEMA): string {
  const sections = Object.entries(schema.properties ?? {}).map(([name, part]) => {
    const rows = [...shortFormOf(part), ...rowsOf(part, nameOf(part))];
    if (rows.length === 0)
      return [`### ${name}`, "", ...tableOf([{ key: name, part, required: false }])].join("\n");
    return [`### ${name}`, "", plain(part.description ?? ""), "", ...tableOf(rows)].join("\n");
  });
  return sections.join("\n\n");
}

/** How the keys of a list or of a map begin. */
function nameOf(part: Part): string {
  if (part.items?.properties) return "[].";
  return innerOf(part)?.properties ? "NAME." : "";
}

/** Where a list may stand in place of the keys. */
function shortFormOf(part: Part): readonly Row[] {
  const inner = innerOf(part);
  if (!Array.isArray(inner?.type)) return [];
  const description = "The list alone, or the keys below.";
  return [{ key: "NAME", part: { ...inner, description }, required: false }];
}

function rowsOf(part: Part, prefix: string): readonly Row[] {
  const inner = part.properties ?? part.items?.properties ?? innerOf(part)?.properties ?? {};
  const required = part.required ?? part.items?.required ?? innerOf(part)?.required ?? [];
  return Object.entries(inner).flatMap(([name, child]) => {
    const key = `${prefix}${name}`;
    const row = { key, part: child, required: required.includes(name), kinds: kindsWith(part, name) };
    if (!hasKeys(child)) return [row];
    const below = rowsOf(child, child.properties ? `${key}.` : `${key}.NAME.`);
    return [row, ...below];
  });
}

/** A key by which a kind is known says that by itself. */
function kindsWith(part: Part, name: string): readonly string[] | undefined {
  const kinds = Object.entries(innerOf(part)?.kinds ?? {});
  const having = kinds
    .filter(([, { properties = {} }]) => properties[name] !== undefined)
    .map(([kind]) => kind);
  return having.length === kinds.length || having.includes(name) ? undefined : having;
}

function innerOf({ additionalProperties }: Part): Part | undefined {
  return additionalProperties === false ? undefined : additionalProperties;
}

function hasKeys(part: Part): boolean {
  const inner = innerOf(part);
  return [part, inner].some((each) => each?.properties !== undefined && !isSecret(each));
}

function isSecret({ properties }: Part): boolean {
  return properties?.env !== undefined && properties.file !== undefined;
}

function tableOf(rows: readonly Row[]): readonly string[] {
  return [
    "| key | value | default | meaning |",
    "| --- | --- | --- | --- |",
    ...rows.map(({ key, part, required, kinds }) => {
      const flag = part.flag === undefined ? "" : ` Option: \`--${part.flag}\`.`;
      const only = kinds === undefined ? "" : ` Only of ${kinds.join(", ")}.`;
      const given = required ? "required" : defaultOf(part);
      return `| \`${key}\` | ${cell(kindOf(part))} | ${given} | ${cell(part.description ?? "")}${flag}${only} |`;
    }),
  ];
}

function defaultOf({ default: value }: Part): string {
  if (value === undefined || JSON.stringify(value) === "{}") return "";
  return `\`${JSON.stringify(value)}\``;
}

function kindOf(part: Part): string {
  if (part.enum) return part.enum.map((value) => `\`${value}\``).join(", ");
  if (isSecret(part)) return "secret";
  const kinds = [part.type ?? "object"].flat().map((type) => nameOfType(type, part));
  return kinds.join(" or ");
}

function nameOfType(type: string, part: Part): string {
  switch (type) {
    case "string":
      return "text";
    case "boolean":
      return "true or false";
    case "array":
      return part.items?.enum ? `list of ${kindOf(part.items)}` : listOf(part.items);
    case "object": {
      const inner = innerOf(part);
      if (!inner || part.properties) return "keys";
      return `map of names to ${hasKeys(inner) ? "keys" : pluralOf(inner)}`;
    }
    default:
      return `${type}${boundsOf(part)}`;
  }
}

function listOf(items: Part = {}): string {
  return `list of ${items.properties ? "keys" : pluralOf(items)}`;
}

function pluralOf(part: Part): string {
  if (Object.keys(part).length === 0) return "anything";
  return part.type === "array" ? "lists" : `${kindOf(part)}s`;
}

function boundsOf({ minimum, maximum }: Part): string {
  const top = maximum !== undefined && maximum < TOLD_BOUND ? maximum : undefined;
  if (minimum === undefined) return top === undefined ? "" : `, at most ${top}`;
  return top === undefined ? `, at least ${minimum}` : `, ${minimum} to ${top}`;
}

function cell(text: string): string {
  return plain(text).replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** A text in which no asterisk makes anything slanted. */
export function plain(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("*", "\\*")))
    .join("");
}
