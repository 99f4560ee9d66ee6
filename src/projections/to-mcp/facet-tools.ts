import { type Facet, TOOL_NAMES } from "../../contract/index.ts";
import {
  byName,
  type Caller,
  decideSight,
  type Entry,
  isDenied,
  type Matches,
  namespaceOf,
  type OperationSpec,
  problemOfPreset,
  type Registration,
  reachBy,
  type Snapshot,
} from "../../core/index.ts";
import { OTHER_NAMES, QUERY_TOOL } from "./tool-calls.ts";

/** Longest name of a tool: clients add a prefix of their own and accept a limited length. */
const MAX_TOOL_NAME = 100;

/** An operation, or a preset of one, that is a tool of its own. */
export interface ListedTool {
  readonly registration: Registration;
  /** What its callers see. */
  readonly spec: OperationSpec;
  readonly preset?: string;
}

/** The tools of a facet in one state of the registry. */
export interface FacetTools {
  readonly facet: Facet;
  readonly snapshot: Snapshot;
  /** Operations and presets that are tools of their own, by the names of the tools. */
  readonly tools: ReadonlyMap<string, ListedTool>;
  /** All external operations that the facet holds, also those that cannot be tools. */
  readonly wanted: readonly Entry[];
  /** Operations that cannot be listed, each with the reason. */
  readonly leftOut: readonly { readonly operation: string; readonly reason: string }[];
}

/** The name that an operation has as a tool: `store_put` for `store/put`. */
function toolNameOf({ name }: OperationSpec): string {
  return name.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
}

/**
 * Finds the tools of a facet. The operation that a name means must not depend on which came first, or on what a server
 * offers today (decision 045): a name belongs to one namespace, and of two operations of that namespace with one name
 * neither is listed.
 */
export function findTools(facet: Facet, snapshot: Snapshot): FacetTools {
  const { holds = () => false, presets = [], namespaces = [] } = facet;
  if (!facet.holds && presets.length === 0)
    return { facet, snapshot, tools: new Map(), wanted: [], leftOut: [] };
  // Filtered before it is sorted: there may be a hundred thousand other operations.
  const wanted = byName(
    [...snapshot.namespaces()].flatMap((namespace) =>
      [...snapshot.entriesIn(namespace)].filter((entry) => isWanted(entry, holds)),
    ),
  );
  const own = wanted.flatMap(({ registration }) => registration.tools?.map(({ name }) => name) ?? []);
  const listed = [...new Set([...presets, ...own])];
  const taken = new Set([...namespaces, ...snapshot.namespaces(), ...listed.map(namespaceOf)]);
  const leftOut: { operation: string; reason: string }[] = [];
  const meant = new Map<string, ListedTool[]>();
  const candidates = wanted.map(
    ({ registration }): ListedTool => ({ registration, spec: registration.spec }),
  );
  for (const tool of [...candidates, ...presetsIn(snapshot, listed, leftOut)]) {
    const { spec } = tool;
    const reason = problemOf(spec, taken);
    if (reason) leftOut.push({ operation: spec.name, reason });
    else meant.set(toolNameOf(spec), [...(meant.get(toolNameOf(spec)) ?? []), tool]);
  }
  const tools = new Map<string, ListedTool>();
  for (const [name, rivalling] of meant) {
    const [only, ...others] = rivalling;
    if (only && others.length === 0) tools.set(name, only);
    else leftOut.push(...rivals(name, rivalling));
  }
  return { facet, snapshot, tools, wanted, leftOut };

  function isWanted({ registration }: Entry, holds: Matches): boolean {
    const { name, visibility } = registration.spec;
    return visibility === "external" && holds(name) && !isDenied(registration, snapshot.policy);
  }
}

/** The presets that work in this state of the registry; the others are left out. */
function presetsIn(
  snapshot: Snapshot,
  names: readonly string[],
  leftOut: { operation: string; reason: string }[],
): readonly ListedTool[] {
  return names.flatMap((name) => {
    const known = snapshot.presets.get(name);
    if (!known || known.preset.isAlias || snapshot.policy.denies(name)) return [];
    const reason = problemOfPreset(snapshot, known);
    const entry = snapshot.find(known.preset.operation);
    if (reason === undefined && entry) {
      const { registration } = entry;
      return [{ registration, spec: known.fit(registration.spec).spec, preset: name }];
    }
    leftOut.push({ operation: name, reason: reason ?? "its operation is not there" });
    return [];
  });
}

/** True if a caller sees a tool. A preset is seen where its operation can be called by it. */
export function isSeen({ registration, preset }: ListedTool, caller: Caller, snapshot: Snapshot): boolean {
  const by = preset === undefined ? caller : { ...caller, reach: reachBy(caller.reach, preset) };
  return decideSight(registration, by, snapshot.policy) === "open";
}

/** True if a caller sees anything that a facet holds; for others its endpoint does not exist. */
export function showsAnything({ facet, snapshot, wanted, tools }: FacetTools, caller: Caller): boolean {
  if (!facet.holds && !facet.presets) return true;
  const isOpen = ({ registration }: Entry) => decideSight(registration, caller, snapshot.policy) === "open";
  return wanted.some(isOpen) || [...tools.values()].some((tool) => isSeen(tool, caller, snapshot));
}

/** findTools for an endpoint: looks through the registry once for each of its states. */
export function createToolFinder(facet: Facet): (snapshot: Snapshot) => FacetTools {
  const known = new WeakMap<Snapshot, FacetTools>();
  return (snapshot) => {
    const found = known.get(snapshot) ?? findTools(facet, snapshot);
    known.set(snapshot, found);
    return found;
  };
}

function problemOf(spec: OperationSpec, namespaces: ReadonlySet<string>): string | undefined {
  const { type, inputSchema } = spec;
  const name = toolNameOf(spec);
  if (type === "subscription") return "a tool cannot carry a stream";
  if (typeof inputSchema !== "object" || inputSchema.type !== "object")
    return "a tool takes an object as its input";
  if (name.length > MAX_TOOL_NAME) return `its name as a tool is longer than ${MAX_TOOL_NAME} characters`;
  if (RESERVED.has(name)) return `${name} is a tool of the gateway itself`;
  const owner = ownerOf(name, namespaces);
  return owner === spec.namespace ? undefined : `as a tool ${name} would be taken for one of ${owner}`;
}

/** The longest namespace that a name begins with: `a_b_c` is one of `a_b` where there is one, else of `a`. */
function ownerOf(name: string, namespaces: ReadonlySet<string>): string | undefined {
  for (let end = name.lastIndexOf("_"); end > 0; end = name.lastIndexOf("_", end - 1)) {
    const namespace = name.slice(0, end);
    if (namespaces.has(namespace)) return namespace;
  }
  return undefined;
}

function rivals(name: string, tools: readonly ListedTool[]): FacetTools["leftOut"] {
  const operations = tools.map(({ spec }) => spec.name);
  return operations.map((operation) => {
    const others = operations.filter((other) => other !== operation).join(", ");
    return { operation, reason: `as a tool it would be called ${name}, as would ${others}: none is listed` };
  });
}

const RESERVED: ReadonlySet<string> = new Set([...TOOL_NAMES, QUERY_TOOL, ...Object.keys(OTHER_NAMES)]);
