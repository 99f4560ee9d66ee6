import { CORE_FACET, type Facet, TOOL_NAMES } from "../../contract/index.ts";
import {
  ANONYMOUS,
  type Caller,
  decideSight,
  type Identity,
  type OperationSpec,
  RESERVED_NAMESPACES,
  type Registration,
  type Registry,
  type Snapshot,
} from "../../core/index.ts";
import { estimateTokens } from "../../formats/index.ts";

/** Above this many operations a sample is measured. */
const SAMPLE = 2_000;

/**
 * The tools of an endpoint, the operations behind it, and the cost of both for a model, about, in tokens. A model reads
 * the name, the description and the input schema of each tool, and the instructions.
 */
export interface Surface {
  readonly tools: number;
  /** Tools and instructions together. */
  readonly tokens: number;
  readonly instructionTokens: number;
  /** Tools besides the four, which facets list. */
  readonly fromFacets: { readonly tools: number; readonly tokens: number };
  /** Each tool that is listed, in order. */
  readonly listed: readonly { readonly name: string; readonly tokens: number }[];
  /** Operations of sources that can be reached here; those of the gateway itself do not count. */
  readonly operations: number;
  readonly namespaces: number;
  /** The cost if each of them were a tool of its own. */
  readonly directTokens: number;
}

/** Measures the surface as one caller sees it: the four tools, and callers without a token, if nothing else is said. */
export async function measureSurface(
  registry: Registry,
  identity: Identity = ANONYMOUS,
  facet: Facet = CORE_FACET,
): Promise<Surface> {
  const measured = await measureTools(registry, facet, { identityIn: () => identity });
  const { snapshot, caller, listed, tokens, instructionTokens } = measured;
  const added = listed.filter(({ name }) => !TOOL_NAMES.some((tool) => tool === name));
  const isBehind = ({ name }: OperationSpec) => facet.core || facet.query || facet.holds?.(name);
  const specs = snapshot
    .entries()
    .map(({ registration }) => registration)
    .filter((each) => !isOwn(each) && decideSight(each, caller, snapshot.policy) === "open")
    .flatMap(({ spec }) => (isBehind(spec) ? [spec] : []));
  return {
    tools: listed.length,
    tokens,
    instructionTokens,
    fromFacets: { tools: added.length, tokens: sumOf(added) },
    listed,
    operations: specs.length,
    namespaces: new Set(specs.map(({ namespace }) => namespace)).size,
    directTokens: directTokensOf(specs),
  };
}

/** Measures the tools that a facet lists to one caller; `denying` adds patterns that a config would deny. */
export async function measureTools(
  registry: Registry,
  facet: Facet,
  {
    identityIn,
    denying,
  }: {
    readonly identityIn: (snapshot: Snapshot) => Identity;
    readonly denying?: readonly string[] | undefined;
  },
) {
  const { findTools, instructionsFor, listTools } = await import("../../projections/to-mcp/index.ts");
  // Not before: a change while the package is loaded must be seen.
  const now = registry.snapshot();
  const snapshot = denying ? now.denying(denying) : now;
  const caller: Caller = { identity: identityIn(snapshot), internal: false, reach: facet.reach };
  const found = findTools(facet, snapshot);
  const tools = listTools(found, caller);
  const listed: Surface["listed"] = tools.map((tool) => ({ name: tool.name, tokens: tokensOf(tool) }));
  const instructionTokens = estimateTokens(instructionsFor(facet) ?? "");
  return {
    snapshot,
    caller,
    listed,
    instructionTokens,
    tokens: sumOf(listed) + instructionTokens,
    leftOut: found.leftOut,
    /** Operations that are tools and for which the list has no room. */
    unlisted: found.tools.size - tools.filter(({ name }) => found.tools.has(name)).length,
  };
}

/** The cost of one tool, about, in tokens. */
function tokensOf({
  name,
  description,
  inputSchema,
}: {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}): number {
  return estimateTokens(JSON.stringify({ name, description, inputSchema }));
}

function sumOf(listed: Surface["listed"]): number {
  return listed.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Offers of connections are in a namespace of the gateway too, but come from elsewhere. */
function isOwn({ spec, provenance }: Registration): boolean {
  return provenance === "local" && RESERVED_NAMESPACES.has(spec.namespace);
}

/** The cost of operations if each were a tool of its own, about, in tokens. */
export function directTokensOf(specs: readonly OperationSpec[]): number {
  const step = Math.max(1, Math.ceil(specs.length / SAMPLE));
  const sample = specs.filter((_, index) => index % step === 0);
  const tokens = sample.reduce(
    (sum, spec) => sum + tokensOf({ ...spec, name: spec.name.replaceAll("/", "_") }),
    0,
  );
  return sample.length === 0 ? 0 : Math.round((tokens / sample.length) * specs.length);
}
