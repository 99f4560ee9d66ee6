import { definitionOf } from "../../adapters/index.ts";
import {
  BUILT_IN_FACETS,
  type Config,
  ConfigError,
  type LoadedConfig,
  presetsOfFacet,
} from "../../config/index.ts";
import type { Facet } from "../../contract/index.ts";
import {
  compilePatterns,
  isRecord,
  type Matches,
  type MutationPolicy,
  nearest,
  type OperationSpec,
  operatorOf,
  type Preset,
  RESERVED_NAMESPACES,
  type Reach,
  type Registry,
  strictest,
} from "../../core/index.ts";
import { measureSurface, type Surface } from "../surface/index.ts";

/** Namespaces by which callers find operations and read their references: always reached, and they show no more than the reach. */
const ALWAYS_REACHED: ReadonlySet<string> = new Set(["services", "refs"]);

/** The facets that a config wants served. */
export interface Facets {
  /** At /mcp; the other wires are confined to it where one facet is served alone. */
  readonly main: Facet;
  /** At /mcp/NAME. */
  readonly named: ReadonlyMap<string, Facet>;
  /** Names of the facets that make up the main one. */
  readonly exposed: readonly string[];
  /** The setting that decided which these are. */
  readonly tier: "PINHOLE_TOOLS" | "mcp.expose" | "the default" | "mcp.only" | "--facet";
  /** True: nothing else is served, and every wire keeps to the main one. */
  readonly alone: boolean;
}

/** A facet as the config has it. */
interface Group {
  readonly name: string;
  readonly patterns: readonly string[];
  /** Matches the operations that it holds; the built-in ones hold none of their own. */
  readonly matches?: Matches;
  readonly mutations: MutationPolicy;
  readonly presets: readonly Preset[];
}

/** A configuration and its file without flags. */
type Decided = Pick<LoadedConfig, "config" | "written">;

/** Reads the facets that a config wants; `tools` is PINHOLE_TOOLS. Throws a ConfigError for an unknown facet. */
export function readFacets(loaded: Decided, tools: string | undefined): Facets {
  const { config } = loaded;
  const { mcp } = config;
  const groups = groupsOf(config);
  const find = (name: string, where: string): Group => {
    const group = groups.get(name);
    if (!group) throw unknownFacet(name, where, [...groups.keys()]);
    return group;
  };
  const { names, tier } = chosen(loaded, tools);
  const exposed = names.map((name) => find(name, tier));
  const alone = mcp.only !== undefined;
  const confined = alone ? mcp.only !== "core" : mcp.reach === "exposed";
  if (confined && names.every((name) => name === "core")) throw nothingInReach();
  const namespaces = namespacesOf(config);
  const outputs = config.limits.outputValidation === "enforce";
  return {
    main: facetOf(exposed, { confined, core: alone || names.includes("core"), namespaces, outputs }),
    named: new Map(
      [...(alone ? [] : groups)].map(([name, group]) => [
        name,
        facetOf([group], { confined: name !== "core", core: true, namespaces, outputs }),
      ]),
    ),
    exposed: names,
    tier,
    alone,
  };
}

function chosen(
  { config: { mcp }, written }: Decided,
  tools: string | undefined,
): { readonly names: readonly string[]; readonly tier: Facets["tier"] } {
  if (mcp.only !== undefined) {
    const isWritten = isRecord(written.mcp) && written.mcp.only === mcp.only;
    return { names: [mcp.only], tier: isWritten ? "mcp.only" : "--facet" };
  }
  const listed = tools?.split(/[\s,]+/).filter((name) => name !== "") ?? [];
  if (listed.length > 0) return { names: [...new Set(listed)], tier: "PINHOLE_TOOLS" };
  if (mcp.expose) return { names: [...new Set(mcp.expose)], tier: "mcp.expose" };
  return { names: ["core"], tier: "the default" };
}

function groupsOf({ facets }: Config): ReadonlyMap<string, Group> {
  const own = Object.entries(facets).map(([name, facet]) => {
    const { operations = [], mutations = "allow" } = Array.isArray(facet)
      ? { operations: facet }
      : (facet as { operations?: readonly string[]; mutations?: MutationPolicy });
    const matches = compilePatterns(operations);
    return [
      name,
      { name, patterns: operations, matches, mutations, presets: presetsOfFacet(facet) },
    ] as const;
  });
  const builtIn = BUILT_IN_FACETS.map(
    (name) => [name, { name, patterns: [], mutations: "allow", presets: [] }] as const,
  );
  return new Map<string, Group>([...builtIn, ...own]);
}

/** Namespaces of sources that may be slow to come; those of plugins are there from the start. */
function namespacesOf({ sources }: Config): readonly string[] {
  return Object.entries(sources).flatMap(([name, source]) => (definitionOf(source).isOwnCode ? [] : [name]));
}

/** Several groups as one facet. */
function facetOf(
  groups: readonly Group[],
  {
    confined,
    core,
    namespaces,
    outputs,
  }: Required<Pick<Facet, "core" | "namespaces" | "outputs">> & { readonly confined: boolean },
): Facet {
  const holds = (name: string) => groups.some(({ matches }) => matches?.(name));
  const presets = groups.flatMap((group) => group.presets.map(({ name }) => name));
  const facet: Facet = {
    core,
    outputs,
    ...(presets.length > 0 && { presets, namespaces }),
    query: groups.some(({ name }) => name === "query"),
    ...(groups.some(({ matches }) => matches) && { holds, namespaces }),
  };
  if (!confined && groups.every(({ mutations }) => mutations === "allow")) return facet;
  const policyOf = ({ name }: OperationSpec, preset?: string) =>
    strictest(
      groups
        .filter((group) => group.matches?.(name) || isPresetOf(group, name, preset))
        .map(({ mutations }) => mutations),
    );
  const reach: Reach = {
    key: JSON.stringify([
      confined,
      groups.map(({ name, patterns, mutations, presets }) => [name, patterns, mutations, presets]),
    ]),
    includes: (spec, preset) =>
      isWithin(spec, preset) && !(spec.mutates && policyOf(spec, preset) === "deny"),
    mutations: policyOf,
  };
  return { ...facet, reach };

  function isWithin(spec: OperationSpec, preset: string | undefined): boolean {
    return (
      !confined ||
      groups.some((group) => isPresetOf(group, spec.name, preset)) ||
      ALWAYS_REACHED.has(spec.namespace) ||
      holds(spec.name) ||
      (facet.query && spec.type === "query" && !spec.mutates && !RESERVED_NAMESPACES.has(spec.namespace))
    );
  }
}

/** True if a group has this preset of an operation: who calls the operation by it reaches it here. */
function isPresetOf({ presets }: Group, operation: string, preset: string | undefined): boolean {
  return preset !== undefined && presets.some((each) => each.name === preset && each.operation === operation);
}

/** The surface that a configuration makes, and the setting that decided it. */
export interface ConfiguredSurface extends Surface {
  readonly exposed: readonly string[];
  readonly by: string;
}

/** Measures what clients see at /mcp, as a caller who may see everything that is external. Throws as readFacets does. */
export async function measureConfigured(
  loaded: Decided,
  registry: Registry,
  tools: string | undefined,
): Promise<ConfiguredSurface> {
  const { exposed, tier, main } = readFacets(loaded, tools);
  return { exposed, by: tier, ...(await measureSurface(registry, operatorOf(registry.snapshot()), main)) };
}

function nothingInReach(): ConfigError {
  return new ConfigError(
    "mcp.reach: exposed leaves nothing to find or call, since no facet but core is exposed. Expose one more, or set mcp.reach: all.",
  );
}

function unknownFacet(name: string, where: string, known: readonly string[]): ConfigError {
  const [close] = nearest(name, known, 1);
  const hint = close ? `Did you mean ${close}?` : `There are ${known.join(", ")}.`;
  return new ConfigError(`${where} names the facet ${JSON.stringify(name)}, which does not exist. ${hint}`);
}
