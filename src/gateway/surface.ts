import { ANONYMOUS, type Identity, type OperationSpec, type Registry } from "../core/index.ts";
import { estimateTokens } from "../formats/index.ts";

/** Above this many operations a sample of them stands for all. */
const SAMPLE = 2_000;

/** What the opening shows, what stands behind it, and what both cost a model, about, in tokens. */
export interface Surface {
  readonly tools: number;
  readonly toolTokens: number;
  readonly operations: number;
  readonly namespaces: number;
  /** If every operation were a tool of its own. */
  readonly directTokens: number;
}

/** Measures the surface as one caller sees it, or as the operator does: with everything that is external. */
export async function measureSurface(registry: Registry, identity: Identity = ANONYMOUS): Promise<Surface> {
  const { listTools } = await import("../projections/to-mcp/index.ts");
  const snapshot = registry.snapshot();
  const tools = listTools(snapshot, identity);
  const specs = snapshot
    .entries()
    .map(({ registration }) => registration.spec)
    .filter(({ name, visibility }) => visibility === "external" && !snapshot.policy.denies(name));
  return {
    tools: tools.length,
    toolTokens: estimateTokens(JSON.stringify(tools)),
    operations: specs.length,
    namespaces: new Set(specs.map(({ namespace }) => namespace)).size,
    directTokens: directTokens(specs),
  };
}

function directTokens(specs: readonly OperationSpec[]): number {
  const step = Math.max(1, Math.ceil(specs.length / SAMPLE));
  const sample = specs.filter((_, index) => index % step === 0);
  const tokens = sample.reduce((sum, spec) => sum + estimateTokens(asTool(spec)), 0);
  return sample.length === 0 ? 0 : Math.round((tokens / sample.length) * specs.length);
}

function asTool({ name, description, inputSchema }: OperationSpec): string {
  return JSON.stringify({ name: name.replaceAll("/", "_"), description, inputSchema });
}
