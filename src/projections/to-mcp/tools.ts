import { createHash } from "node:crypto";
import type { Tool } from "@modelcontextprotocol/server";
import { CONTRACT, TOOL_NAMES, type ToolName } from "../../contract/index.ts";
import {
  type Caller,
  createView,
  decideSight,
  measureJson,
  type Registry,
  type Snapshot,
  sightKey,
} from "../../core/index.ts";
import type { Listed } from "./listeners.ts";
import { pinnedTool } from "./pinned-tool.ts";
import { CORE_SURFACE, createPins, type McpSurface, type Pinned } from "./surface.ts";
import { QUERY_TOOL } from "./tool-names.ts";

/** How large the operations in one list of tools may be together, in bytes of JSON: about a million tokens. */
export const MAX_LIST_BYTES = 4 * 1_024 * 1_024;
const MAX_NAMESPACES = 12;
const MAX_NAMESPACE_TEXT = 160;

const DESCRIPTIONS: Readonly<Record<ToolName, string>> = {
  search:
    'Find operations by what they do, for example {"query":"create an issue"}: one capability per query, several queries as a list. No query: the namespaces. A hit\'s signature is mostly enough to call it.',
  schema: 'Exact input and output of operations, when a signature is not enough: {"names":["text/stats"]}.',
  call: 'Run one operation: {"operation":"text/stats","input":{"text":"hi"}}. select keeps a large result small.',
  batch: "Run independent calls at once. Results in order; each is {output} or {error}.",
};

/** Clients that put tools away until they are searched for must not put away the search. */
const ALWAYS_LOADED = { "anthropic/alwaysLoad": true } as const;

const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;
// Operations behind call and batch may write, differently each time, and reach the whole world.
const WRITES = { readOnlyHint: false, idempotentHint: false, openWorldHint: true } as const;

/** What is listed at one address, and how it is found. */
export interface Listing {
  readonly surface: McpSurface;
  readonly pinned: (snapshot: Snapshot) => Pinned;
}

/** The four tools and nothing else. */
const CORE_LISTING: Listing = { surface: CORE_SURFACE, pinned: createPins(CORE_SURFACE) };

/** The tools as a caller sees them: the four, which only name the namespaces that it sees, then what it may see of the rest. */
export function listTools(snapshot: Snapshot, caller: Caller, listing: Listing = CORE_LISTING): Tool[] {
  const { surface, pinned } = listing;
  return [
    ...(surface.core ? coreTools(snapshot, caller) : []),
    ...(surface.query ? [QUERY] : []),
    ...withinList(
      [...pinned(snapshot).tools]
        .filter(([, { registration }]) => decideSight(registration, caller, snapshot.policy) === "open")
        .map(([name, { registration }]) => pinnedTool(name, registration)),
    ),
  ];
}

/** As many as a list may hold; the others can be called by `call`. */
function withinList(tools: readonly Tool[]): readonly Tool[] {
  let left = MAX_LIST_BYTES;
  const end = tools.findIndex((tool) => {
    left -= measureJson(tool, MAX_LIST_BYTES).bytes;
    return left < 0;
  });
  return end === -1 ? tools : tools.slice(0, end);
}

/** A digest of the list of each caller. Callers who see the same share the work, until the registry changes. */
export function createListed(registry: Registry, listing: Listing): Listed {
  let of: Snapshot | undefined;
  let digests = new Map<string, string>();
  return (caller) => {
    const snapshot = registry.snapshot();
    if (snapshot !== of) [of, digests] = [snapshot, new Map()];
    const key = sightKey(caller);
    const digest = digests.get(key) ?? digestOf(listTools(snapshot, caller, listing));
    digests.set(key, digest);
    return digest;
  };
}

function digestOf(tools: readonly Tool[]): string {
  return createHash("sha256").update(JSON.stringify(tools)).digest("base64");
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

/** What a client shows its model about the server as a whole; nothing where the tools that it is about are not listed. */
export function instructionsFor({ core }: McpSurface): string | undefined {
  return core ? INSTRUCTIONS : undefined;
}

/** The three steps, each with an example. */
const INSTRUCTIONS = `This server stands in front of many tools, called operations. Three steps:
1. search finds operations by what they do: {"query": "send a message"}. Ask for one capability at a time, or several as a list. Without a query it lists the namespaces.
2. Each hit has a signature such as (channel: string, text: string) → message. If that is not enough, schema shows everything: {"names": ["chat/send"]}.
3. call runs one: {"operation": "chat/send", "input": {"channel": "dev", "text": "hi"}}; batch runs several that do not depend on each other. select takes a part of a large result: "items[].id".
Errors say what to do next: where the input does not fit, the nearest names, whether trying again helps.`;
