import { contradictionsIn, isRecord, normaliseName, type Preset } from "../core/index.ts";
import type { BrokenRule } from "./config-error.ts";
import type { Config } from "./schema.ts";

type Written = Readonly<Record<string, Omit<Preset, "name">>>;

/** The presets that a facet lists as tools. */
export function presetsOfFacet(facet: Config["facets"][string]): readonly Preset[] {
  const { tools = {} } = (isRecord(facet) ? facet : {}) as { readonly tools?: Written };
  return presetsIn(tools);
}

/** All presets of a configuration: tools of facets, and old names. */
export function presetsOf({ facets, aliases }: Pick<Config, "facets" | "aliases">): readonly Preset[] {
  return [...Object.values(facets).flatMap(presetsOfFacet), ...aliasesIn(aliases)];
}

function aliasesIn(aliases: Config["aliases"]): readonly Preset[] {
  return presetsIn(aliases as Written).map((preset) => ({ ...preset, isAlias: true }));
}

function presetsIn(written: Written): readonly Preset[] {
  return Object.entries(written).map(([name, rest]) => ({
    ...rest,
    name,
    operation: normaliseName(rest.operation),
  }));
}

/** Presets that cannot work, whatever their operations take. */
export function brokenPresets({
  facets,
  aliases,
}: Pick<Config, "facets" | "aliases">): readonly BrokenRule[] {
  const all = [
    ...Object.entries(facets).flatMap(([facet, written]) =>
      presetsOfFacet(written).map((preset) => ({ where: ["facets", facet, "tools"], preset })),
    ),
    ...aliasesIn(aliases).map((preset) => ({ where: ["aliases"], preset })),
  ];
  const first = new Map<string, (typeof all)[number]>();
  for (const each of all) if (!first.has(each.preset.name)) first.set(each.preset.name, each);
  return all.flatMap((each) => {
    const { where, preset } = each;
    const { name, operation } = preset;
    const rival = first.get(name);
    const target = first.get(operation);
    const messages = [
      ...(rival && rival !== each
        ? [`${rival.where.join(".")} has ${name} too. Choose another name for one of them.`]
        : []),
      ...(target
        ? [
            `${operation} is ${target.preset.isAlias ? "an alias" : "a tool of a facet"} itself. Name the operation that it calls.`,
          ]
        : []),
      ...contradictionsIn(preset),
    ];
    return messages.map((message) => ({ keys: [...where, name], message }));
  });
}
