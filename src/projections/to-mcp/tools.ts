import { createHash } from "node:crypto";
import type { Tool } from "@modelcontextprotocol/server";
import { CONTRACT, type Facet, TOOL_NAMES, type ToolName } from "../../contract/index.ts";
import {
  type Caller,
  createView,
  isRecord,
  type JsonSchema,
  measureJson,
  type Registration,
  type Registry,
  type Snapshot,
  sightKey,
} from "../../core/index.ts";
import { shortenSchema } from "../../formats/index.ts";
import { type FacetTools, isSeen, type ListedTool } from "./facet-tools.ts";
import { listedOutput } from "./listed-output.ts";
import { QUERY_TOOL } from "./tool-calls.ts";

/** Size of all operations in one list of tools, in bytes of JSON: about a million tokens. */
export const MAX_LIST_BYTES = 4 * 1_024 * 1_024;
/** A model reads every description of a list before it has asked for anything, so that one tool must not fill it. */
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 4_000;
const MAX_SCHEMA_BYTES = 32_768;
/** Levels that are left of a schema that is too large, and characters of each description in it. */
const SHORTER: readonly (readonly [depth: number, text: number])[] = [
  [4, 300],
  [2, 100],
  [1, 0],
];
const MAX_PARTS = 5_000;
const MAX_VALUES = 50;
const MAX_VALUE_BYTES = 1_000;
const MAX_NAMESPACES = 12;
const MAX_NAMESPACE_TEXT = 160;

const DESCRIPTIONS: Readonly<Record<ToolName, string>> = {
  search:
    'Find operations by what they do, for example {"query":"create an issue"}: one capability per query, several queries as a list. No query: the operations of a namespace, or the namespaces. A hit\'s signature is mostly enough to call it.',
  schema: 'Exact input and output of operations, when a signature is not enough: {"names":["text/stats"]}.',
  call: 'Run one operation: {"operation":"text/stats","input":{"text":"hi"}}. select keeps a large result small.',
  batch: "Run independent calls at once. Results in order; each is {output} or {error}.",
};

/** Clients that put tools away until they are searched for must not put away the search. */
const ALWAYS_LOADED = { "anthropic/alwaysLoad": true } as const;

const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;
// Operations behind call and batch may write, differently each time, and reach the whole world.
const WRITES = { readOnlyHint: false, idempotentHint: false, openWorldHint: true } as const;

/** The tools as a caller sees them: the four, which only name the namespaces that it sees, then what it may see of the rest. */
export function listTools({ facet, snapshot, tools }: FacetTools, caller: Caller): Tool[] {
  return [
    ...(facet.core ? coreTools(snapshot, caller) : []),
    ...(facet.query ? [QUERY] : []),
    ...withinList(
      [...tools]
        .filter(([, tool]) => isSeen(tool, caller, snapshot))
        .map(([name, tool]) => toTool(name, tool, facet.outputs)),
    ),
  ];
}

/** The tools for which a list has room; the others can be called by `call`. */
function withinList(tools: readonly Tool[]): readonly Tool[] {
  let left = MAX_LIST_BYTES;
  const end = tools.findIndex((tool) => {
    left -= measureJson(tool, MAX_LIST_BYTES).bytes;
    return left < 0;
  });
  return end === -1 ? tools : tools.slice(0, end);
}

/** A digest of the list of each caller. Callers who see the same share the work, until the registry changes. */
export function createListed(
  registry: Registry,
  toolsIn: (snapshot: Snapshot) => FacetTools,
): (caller: Caller) => string {
  let of: Snapshot | undefined;
  let digests = new Map<string, string>();
  return (caller) => {
    const snapshot = registry.snapshot();
    if (snapshot !== of) [of, digests] = [snapshot, new Map()];
    const key = sightKey(caller);
    const digest = digests.get(key) ?? digestOf(listTools(toolsIn(snapshot), caller));
    digests.set(key, digest);
    return digest;
  };
}

function digestOf(tools: readonly Tool[]): string {
  return createHash("sha256").update(JSON.stringify(tools)).digest("base64");
}

/** An operation as a tool of its own. Texts that are too long for a list are cut, and say where the rest is. */
function toTool(name: string, { registration, spec }: ListedTool, outputs = false): Tool {
  const { title, description, inputSchema, name: operation } = spec;
  const schema = listedSchema(inputSchema);
  const output = outputs ? listedOutput(registration) : undefined;
  const isCut = description.length > MAX_DESCRIPTION || schema !== inputSchema;
  const note = `(Shortened for this list: schema {"names":["${operation}"]} says more.)`;
  return {
    name,
    ...(title !== undefined && { title: cut(title, MAX_TITLE) }),
    description: isCut ? `${cut(description, MAX_DESCRIPTION)} ${note}` : description,
    inputSchema: schema as unknown as Tool["inputSchema"],
    ...(output !== undefined && { outputSchema: output as NonNullable<Tool["outputSchema"]> }),
    annotations: hintsOf(registration),
    _meta: { "pinhole/operation": operation },
  };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** The schema itself if it is small enough. Calls are checked against the whole one. */
function listedSchema(schema: JsonSchema): JsonSchema {
  const fits = (each: JsonSchema) => !measureJson(each, MAX_SCHEMA_BYTES).over;
  if (!isRecord(schema) || fits(schema)) return schema;
  for (const [depth, most] of SHORTER) {
    const describe = (text: string) => (most === 0 ? "" : cut(text, most));
    const rest = { values: MAX_VALUES, valueBytes: MAX_VALUE_BYTES, maxParts: MAX_PARTS };
    const short = shortenSchema(schema, { depth, describe, ...rest })?.schema;
    if (short !== undefined && fits(short)) return short;
  }
  return { type: "object" };
}

/** Hints by which a client decides whether to ask its user. */
const HINTS = ["destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * This gateway decides whether an operation writes. A client trusts hints as the word of the gateway, so those of an
 * untrusted server are left out: without them a client is as careful as it can be.
 */
function hintsOf({ spec, provenance, trustsHints }: Registration): Tool["annotations"] {
  const { annotations = {}, mutates } = spec;
  const said = HINTS.filter((hint) => typeof annotations[hint] === "boolean");
  return {
    ...((provenance === "local" || trustsHints) &&
      Object.fromEntries(said.map((hint) => [hint, annotations[hint]]))),
    readOnlyHint: !mutates,
  };
}

function coreTools(snapshot: Snapshot, caller: Caller): Tool[] {
  const found = namespacesFor(snapshot, caller);
  return TOOL_NAMES.map((name) => ({
    name,
    description: name === "search" && found ? `${DESCRIPTIONS.search} Here: ${found}.` : DESCRIPTIONS[name],
    inputSchema: CONTRACT[name].input as unknown as Tool["inputSchema"],
    annotations: name === "search" || name === "schema" ? READS : WRITES,
    _meta: ALWAYS_LOADED,
  }));
}

const QUERY: Tool = {
  name: QUERY_TOOL,
  description: "Run one operation that only reads (a query); call runs the others. Same input as call.",
  inputSchema: CONTRACT.call.input as unknown as Tool["inputSchema"],
  annotations: { readOnlyHint: true, openWorldHint: true },
  _meta: ALWAYS_LOADED,
};

/** Agents do not call a search that says nothing about what it finds; a bounded list tells them. */
function namespacesFor(snapshot: Snapshot, caller: Caller): string {
  const all = createView(snapshot, caller).namespaces();
  const names = all.filter((name) => name !== "services");
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    length += name.length + 2;
    if (shown.length === MAX_NAMESPACES || length > MAX_NAMESPACE_TEXT) break;
    shown.push(name);
  }
  const rest = names.length - shown.length;
  if (shown.length === 0 && rest > 0) return rest === 1 ? "one namespace" : `${rest} namespaces`;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

/** Instructions for the model about the four tools; none where they are not listed. */
export function instructionsFor({ core }: Facet): string | undefined {
  return core ? INSTRUCTIONS : undefined;
}

/** The three steps, each with an example. */
const INSTRUCTIONS = `This server gives access to many tools, called operations. Three steps:
1. search finds operations by what they do: {"query": "send a message"}. Ask for one capability at a time, or several as a list. Without a query it lists the namespaces, or with {"namespace": "chat"} all of one.
2. Each hit has a signature such as (channel: string, text: string) → message. If that is not enough, schema shows everything: {"names": ["chat/send"]}.
3. call runs one: {"operation": "chat/send", "input": {"channel": "dev", "text": "hi"}}; batch runs several that do not depend on each other. select takes a part of a large result: "items[].id".
Errors say what to do next: where the input does not fit, the nearest names, whether trying again helps.`;
