import {
  ANONYMOUS,
  type Identity,
  type Matches,
  type OperationSpec,
  type Reach,
  type Registry,
} from "../../core/index.ts";
import { estimateTokens } from "../../formats/index.ts";

/** Above this many operations a sample of them stands for all. */
const SAMPLE = 2_000;

/** What the opening shows, what stands behind it, and what both cost a model, about, in tokens. */
export interface Surface {
  readonly tools: number;
  readonly toolTokens: number;
  /** Each tool that is listed, in order. */
  readonly listed: readonly { readonly name: string; readonly tokens: number }[];
  readonly operations: number;
  readonly namespaces: number;
  /** If every operation were a tool of its own. */
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

/** Measures the surface as one caller sees it, or as the operator does: with everything that is external. */
export async function measureSurface(
  registry: Registry,
  identity: Identity = ANONYMOUS,
  opening?: MeasuredOpening,
): Promise<Surface> {
  const { CORE_SURFACE, createPins, listTools } = await import("../../projections/to-mcp/index.ts");
  const snapshot = registry.snapshot();
  const { surface, reach } = opening ?? { surface: CORE_SURFACE, reach: undefined };
  const caller = { identity, internal: false, reach };
  const tools = listTools(snapshot, caller, { surface, pinned: createPins(surface) });
  const specs = snapshot
    .entries()
    .map(({ registration }) => registration.spec)
    .filter(({ name, visibility }) => visibility === "external" && !snapshot.policy.denies(name));
  return {
    tools: tools.length,
    toolTokens: estimateTokens(JSON.stringify(tools)),
    listed: tools.map((tool) => ({ name: tool.name, tokens: estimateTokens(JSON.stringify(tool)) })),
    operations: specs.length,
    namespaces: new Set(specs.map(({ namespace }) => namespace)).size,
    directTokens: directTokensOf(specs),
  };
}

/** What operations would cost a model if each were a tool of its own, about. */
export function directTokensOf(specs: readonly OperationSpec[]): number {
  const step = Math.max(1, Math.ceil(specs.length / SAMPLE));
  const sample = specs.filter((_, index) => index % step === 0);
  const tokens = sample.reduce((sum, spec) => sum + estimateTokens(asTool(spec)), 0);
  return sample.length === 0 ? 0 : Math.round((tokens / sample.length) * specs.length);
}

function asTool({ name, description, inputSchema }: OperationSpec): string {
  return JSON.stringify({ name: name.replaceAll("/", "_"), description, inputSchema });
}
