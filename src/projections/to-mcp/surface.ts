import type { Entry, Matches, OperationSpec, Snapshot } from "../../core/index.ts";
import { TOOL_NAMES } from "../contract.ts";
import { OTHER_NAMES, QUERY_TOOL } from "./tool-names.ts";

/** The longest name that clients put their own prefix before and still take. */
const MAX_TOOL_NAME = 100;

/** What one MCP address lists. What it lets through is decided by the entrance. */
export interface McpSurface {
  /** The four tools. */
  readonly core: boolean;
  /** One more that calls queries alone, which clients may let pass without asking. */
  readonly query: boolean;
  /** Operations that are tools of their own; none where it is not set. */
  readonly pins?: Matches;
}

/** The opening of constant size. */
export const CORE_SURFACE: McpSurface = Object.freeze({ core: true, query: false });

/** Operations that a surface lists as tools, by the names of the tools. */
export interface Pinned {
  readonly tools: ReadonlyMap<string, Entry>;
  /** Operations that cannot be listed, each with the reason. */
  readonly leftOut: readonly { readonly operation: string; readonly reason: string }[];
}

const NOTHING: Pinned = { tools: new Map(), leftOut: [] };

/** Finds what a surface pins; looks through the registry once for each state that it is in. */
export function createPins({ pins }: McpSurface): (snapshot: Snapshot) => Pinned {
  if (!pins) return () => NOTHING;
  const known = new WeakMap<Snapshot, Pinned>();
  return (snapshot) => {
    const pinned = known.get(snapshot) ?? pinnedIn(snapshot, pins);
    known.set(snapshot, pinned);
    return pinned;
  };
}

/** The name that an operation has as a tool: `store_put` for `store/put`. */
export function toolNameOf({ name }: OperationSpec): string {
  return name.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
}

function pinnedIn(snapshot: Snapshot, pins: Matches): Pinned {
  const tools = new Map<string, Entry>();
  const leftOut: { operation: string; reason: string }[] = [];
  // Only what is wanted is sorted: there may be a hundred thousand others.
  const wanted = byName(
    [...snapshot.namespaces()].flatMap((namespace) =>
      [...snapshot.entriesIn(namespace)].filter(({ registration: { spec } }) => isWanted(spec)),
    ),
  );
  for (const entry of wanted) {
    const { spec } = entry.registration;
    const name = toolNameOf(spec);
    const reason = problemOf(spec, name, tools);
    if (reason) leftOut.push({ operation: spec.name, reason });
    else tools.set(name, entry);
  }
  return { tools, leftOut };

  function isWanted({ name, visibility }: OperationSpec): boolean {
    return visibility === "external" && pins(name) && !snapshot.policy.denies(name);
  }
}

function byName(entries: Entry[]): readonly Entry[] {
  return entries.sort((a, b) => (a.registration.spec.name < b.registration.spec.name ? -1 : 1));
}

function problemOf(
  { type, inputSchema }: OperationSpec,
  name: string,
  taken: ReadonlyMap<string, Entry>,
): string | undefined {
  if (type === "subscription") return "a tool cannot carry a stream";
  if (typeof inputSchema !== "object" || inputSchema.type !== "object")
    return "a tool takes an object as its input";
  if (name.length > MAX_TOOL_NAME) return `its name as a tool is longer than ${MAX_TOOL_NAME} characters`;
  if (RESERVED.has(name)) return `${name} is a tool of the gateway itself`;
  const other = taken.get(name)?.registration.spec.name;
  return other && `${other} is the tool ${name} already`;
}

const RESERVED: ReadonlySet<string> = new Set([...TOOL_NAMES, QUERY_TOOL, ...Object.keys(OTHER_NAMES)]);
