import { TOOL_NAMES } from "../../contract/index.ts";
import {
  ANONYMOUS,
  decideSight,
  type Identity,
  type Matches,
  type OperationSpec,
  RESERVED_NAMESPACES,
  type Reach,
  type Registration,
  type Registry,
} from "../../core/index.ts";
import { estimateTokens } from "../../formats/index.ts";

/** Above this many operations a sample of them stands for all. */
const SAMPLE = 2_000;

/**
 * What an endpoint shows, what is behind it, and what both cost a model, about, in tokens. A model reads the name, the
 * description and the input schema of each tool, and the instructions.
 */
export interface Surface {
  readonly tools: number;
  /** Tools and instructions together. */
  readonly tokens: number;
  readonly instructionTokens: number;
  /** Tools beside the four, which facets list. */
  readonly fromFacets: { readonly tools: number; readonly tokens: number };
  /** Each tool that is listed, in order. */
  readonly listed: readonly { readonly name: string; readonly tokens: number }[];
  /** Operations of sources that can be reached here; those of the gateway itself do not count. */
  readonly operations: number;
  readonly namespaces: number;
  /** If each of them were a tool of its own. */
  readonly directTokens: number;
}

/** An opening, as far as it is measured; without the types of MCP, which a program that embeds us may lack. */
export interface MeasuredOpening {
  readonly surface: {
    readonly core: boolean;
    readonly query: boolean;
    readonly pins?: Matches;
    readonly namespaces?: readonly string[];
  };
  readonly reach: Reach | undefined;
}

/** Measures the surface as one caller sees it; callers without a token, if none is named. */
export async function measureSurface(
  registry: Registry,
  identity: Identity = ANONYMOUS,
  opening?: MeasuredOpening,
): Promise<Surface> {
  const mcp = await import("../../projections/to-mcp/index.ts");
  const snapshot = registry.snapshot();
  const { surface, reach } = opening ?? { surface: mcp.CORE_SURFACE, reach: undefined };
  const caller = { identity, internal: false, reach };
  const tools = mcp.listTools(snapshot, caller, { surface, pinned: mcp.createPins(surface) });
  const listed = tools.map((tool) => ({ name: tool.name, tokens: tokensOf(tool) }));
  const instructionTokens = estimateTokens(mcp.instructionsFor(surface) ?? "");
  const added = listed.filter(({ name }) => !TOOL_NAMES.some((tool) => tool === name));
  const isBehind = ({ name }: OperationSpec) => surface.core || surface.query || surface.pins?.(name);
  const specs = snapshot
    .entries()
    .map(({ registration }) => registration)
    .filter((each) => !isOwn(each) && decideSight(each, caller, snapshot.policy) === "open")
    .flatMap(({ spec }) => (isBehind(spec) ? [spec] : []));
  return {
    tools: tools.length,
    tokens: sumOf(listed) + instructionTokens,
    instructionTokens,
    fromFacets: { tools: added.length, tokens: sumOf(added) },
    listed,
    operations: specs.length,
    namespaces: new Set(specs.map(({ namespace }) => namespace)).size,
    directTokens: directTokensOf(specs),
  };
}

/** What a model reads of one tool, about, in tokens. */
export function tokensOf({ name, description, inputSchema }: ReadTool): number {
  return estimateTokens(JSON.stringify({ name, description, inputSchema }));
}

interface ReadTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

function sumOf(listed: Surface["listed"]): number {
  return listed.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Offers of connections are in a namespace of the gateway too, but come from elsewhere. */
function isOwn({ spec, provenance }: Registration): boolean {
  return provenance === "local" && RESERVED_NAMESPACES.has(spec.namespace);
}

/** What operations would cost a model if each were a tool of its own, about. */
export function directTokensOf(specs: readonly OperationSpec[]): number {
  const step = Math.max(1, Math.ceil(specs.length / SAMPLE));
  const sample = specs.filter((_, index) => index % step === 0);
  const tokens = sample.reduce(
    (sum, spec) => sum + tokensOf({ ...spec, name: spec.name.replaceAll("/", "_") }),
    0,
  );
  return sample.length === 0 ? 0 : Math.round((tokens / sample.length) * specs.length);
}
