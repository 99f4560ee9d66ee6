import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

/** A tool as the labelled sets write it; what may be missing there is made up for. */
export interface Tool {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly serverTitle?: string;
  readonly serverDescription?: string;
}

/** A question with the ids of the tools that answer it. */
export interface LabelledQuery {
  readonly id: string;
  readonly query: string;
  readonly relevant: readonly string[];
}

/** A folder of tools, with or without questions. */
export interface LabelledSet {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly queries: readonly LabelledQuery[];
}

/** A folder that cannot be read as a set; the message says where and why. */
export class SetError extends Error {}

/** Reads a folder with `tools.jsonl` or `tools.jsonl.gz` and, where there are labels, `queries.jsonl`. */
export function readSet(folder: string): LabelledSet {
  const tools = readRows(folder, "tools.jsonl", toTool);
  if (!tools) throw new SetError(`${folder} has no tools.jsonl and no tools.jsonl.gz.`);
  if (tools.length === 0) throw new SetError(`${folder} has a list of tools, but it is empty.`);
  return {
    name: basename(resolve(folder)),
    tools,
    queries: readRows(folder, "queries.jsonl", toQuery) ?? [],
  };
}

type Fields = Readonly<Record<string, unknown>>;

function readRows<Row>(folder: string, name: string, toRow: (fields: Fields) => Row): Row[] | undefined {
  const path = [join(folder, name), join(folder, `${name}.gz`)].find((each) => existsSync(each));
  if (path === undefined) return undefined;
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text.split("\n").flatMap((line, at) => {
    // Some editors begin a file with a mark of its encoding.
    const row = line.replace(/^\uFEFF/, "").trim();
    if (row === "") return [];
    try {
      return [toRow(JSON.parse(row))];
    } catch (error) {
      throw new SetError(`${path}, line ${at + 1}: ${error instanceof Error ? error.message : error}`);
    }
  });
}

function toTool(fields: Fields): Tool {
  const { inputSchema, serverTitle, serverDescription } = fields;
  return {
    id: idIn(fields.id, "id"),
    server: textIn(fields.server),
    name: textIn(fields.name),
    description: textIn(fields.description),
    ...(inputSchema !== undefined && { inputSchema }),
    ...(typeof serverTitle === "string" && { serverTitle }),
    ...(typeof serverDescription === "string" && { serverDescription }),
  };
}

function toQuery({ id, query, relevant }: Fields): LabelledQuery {
  if (typeof query !== "string") throw new Error(`"query" is not a text.`);
  if (!Array.isArray(relevant)) throw new Error(`"relevant" is not a list of ids.`);
  return { id: textIn(id), query, relevant: relevant.map((each) => idIn(each, "relevant")) };
}

/** Some sets number their tools. */
function idIn(value: unknown, field: string): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new Error(`"${field}" is not an id.`);
}

function textIn(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
