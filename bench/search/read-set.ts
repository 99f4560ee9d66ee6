import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";

/** A tool as the labelled sets write it. */
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

/** Reads a folder with `tools.jsonl` or `tools.jsonl.gz` and, where there are labels, `queries.jsonl`. */
export function readSet(folder: string): LabelledSet {
  const tools = readLines<Tool>(folder, "tools.jsonl");
  if (!tools) throw new Error(`${folder} has no tools.jsonl and no tools.jsonl.gz.`);
  return { name: basename(folder), tools, queries: readLines<LabelledQuery>(folder, "queries.jsonl") ?? [] };
}

function readLines<Row>(folder: string, name: string): Row[] | undefined {
  const path = join(folder, name);
  const text = existsSync(path)
    ? readFileSync(path)
    : existsSync(`${path}.gz`)
      ? gunzipSync(readFileSync(`${path}.gz`))
      : undefined;
  return text
    ?.toString("utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line): Row => JSON.parse(line));
}
