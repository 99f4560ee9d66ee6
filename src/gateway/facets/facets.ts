import { definitionOf } from "../../adapters/index.ts";
import { BUILT_IN_FACETS, type Config, ConfigError, type LoadedConfig } from "../../config/index.ts";
import {
  compilePatterns,
  isRecord,
  type Matches,
  type MutationPolicy,
  nearest,
  type OperationSpec,
  RESERVED_NAMESPACES,
  type Reach,
  strictest,
} from "../../core/index.ts";
import type { McpSurface } from "../../projections/to-mcp/index.ts";

/** By these callers find operations and read what they kept, so they can always be reached; they show no more than the reach. */
const ALWAYS_REACHED: ReadonlySet<string> = new Set(["services", "refs"]);

/** What decided which facets are exposed. */
export type Tier = "PINHOLE_TOOLS" | "mcp.expose" | "the default" | "mcp.only" | "--facet";

/** One opening: what it lists, and what can be reached through it. */
export interface Opening {
  readonly surface: McpSurface;
  /** Undefined where everything can be reached. */
  readonly reach: Reach | undefined;
}

/** All openings of a gateway. */
export interface Openings {
  /** The one at /mcp; the other wires are confined to it where one facet is served alone. */
  readonly main: Opening;
  readonly exposed: readonly string[];
  readonly tier: Tier;
  /** True: nothing else is served, and every wire keeps to the main one. */
  readonly alone: boolean;
  /** Those at /mcp/NAME, by the names of their facets. */
  readonly facets: ReadonlyMap<string, Opening>;
}

interface Facet {
  readonly name: string;
  readonly patterns: readonly string[];
  /** Which operations it holds; the built-in ones hold none of their own. */
  readonly matches?: Matches;
  readonly mutations: MutationPolicy;
}

/** A configuration with what its file says, without flags. */
type Decided = Pick<LoadedConfig, "config" | "said">;

/** Reads which openings a config wants; throws a ConfigError for a facet that there is not. */
export function readOpenings(loaded: Decided, tools: string | undefined): Openings {
  const { config } = loaded;
  const { mcp } = config;
  const facets = facetsOf(config);
  const find = (name: string, where: string): Facet => {
    const facet = facets.get(name);
    if (!facet) throw unknownFacet(name, where, [...facets.keys()]);
    return facet;
  };
  const { names, tier } = chosen(loaded, tools);
  const exposed = names.map((name) => find(name, tier));
  const alone = mcp.only !== undefined;
  const confined = alone ? mcp.only !== "core" : mcp.reach === "exposed";
  if (confined && names.every((name) => name === "core")) throw nothingInReach();
  const namespaces = namespacesOf(config);
  return {
    main: openingOf(exposed, { confined, core: alone || names.includes("core"), namespaces }),
    exposed: names,
    tier,
    alone,
    facets: new Map(
      [...(alone ? [] : facets)].map(([name, facet]) => [
        name,
        openingOf([facet], { confined: name !== "core", core: true, namespaces }),
      ]),
    ),
  };
}

function chosen(
  { config: { mcp }, said }: Decided,
  tools: string | undefined,
): { names: readonly string[]; tier: Tier } {
  if (mcp.only !== undefined) {
    const isWritten = isRecord(said.mcp) && said.mcp.only === mcp.only;
    return { names: [mcp.only], tier: isWritten ? "mcp.only" : "--facet" };
  }
  const listed = tools?.split(/[\s,]+/).filter((name) => name !== "") ?? [];
  if (listed.length > 0) return { names: [...new Set(listed)], tier: "PINHOLE_TOOLS" };
  if (mcp.expose) return { names: [...new Set(mcp.expose)], tier: "mcp.expose" };
  return { names: ["core"], tier: "the default" };
}

function facetsOf({ facets }: Config): ReadonlyMap<string, Facet> {
  const own = Object.entries(facets).map(([name, facet]) => {
    const { operations, mutations = "allow" } = Array.isArray(facet)
      ? { operations: facet }
      : (facet as { operations: readonly string[]; mutations?: MutationPolicy });
    return [name, { name, patterns: operations, matches: compilePatterns(operations), mutations }] as const;
  });
  const builtIn = BUILT_IN_FACETS.map((name) => [name, { name, patterns: [], mutations: "allow" }] as const);
  return new Map<string, Facet>([...builtIn, ...own]);
}

/** Those of sources that may be slow to come; what plugins bring is there from the start. */
function namespacesOf({ sources }: Config): readonly string[] {
  return Object.entries(sources).flatMap(([name, source]) => (definitionOf(source).isOwnCode ? [] : [name]));
}

interface OpeningOptions extends Required<Pick<McpSurface, "core" | "namespaces">> {
  readonly confined: boolean;
}

function openingOf(facets: readonly Facet[], { confined, core, namespaces }: OpeningOptions): Opening {
  const names = facets.map(({ name }) => name);
  const holds = (name: string) => facets.some(({ matches }) => matches?.(name));
  const surface: McpSurface = {
    core,
    query: names.includes("query"),
    ...(facets.some(({ matches }) => matches) && { pins: holds, namespaces }),
  };
  if (!confined && facets.every(({ mutations }) => mutations === "allow"))
    return { surface, reach: undefined };
  const policyOf = ({ name }: OperationSpec) =>
    strictest(facets.filter(({ matches }) => matches?.(name)).map(({ mutations }) => mutations));
  const reach: Reach = {
    key: JSON.stringify([
      confined,
      facets.map(({ name, patterns, mutations }) => [name, patterns, mutations]),
    ]),
    includes: (spec) => isWithin(spec) && !(spec.mutates && policyOf(spec) === "deny"),
    mutations: policyOf,
  };
  return { surface, reach };

  function isWithin(spec: OperationSpec): boolean {
    return (
      !confined ||
      ALWAYS_REACHED.has(spec.namespace) ||
      holds(spec.name) ||
      (surface.query && spec.type === "query" && !spec.mutates && !RESERVED_NAMESPACES.has(spec.namespace))
    );
  }
}

function nothingInReach(): ConfigError {
  return new ConfigError(
    "mcp.reach: exposed leaves nothing to find or call, since no facet but core is exposed. Expose one more, or set mcp.reach: all.",
  );
}

function unknownFacet(name: string, where: string, known: readonly string[]): ConfigError {
  const [close] = nearest(name, known, 1);
  const hint = close ? `Did you mean ${close}?` : `There are ${known.join(", ")}.`;
  return new ConfigError(`${where} names the facet ${JSON.stringify(name)}, which is none. ${hint}`);
}
