import {
  isRecord,
  namespaceOf,
  normaliseName,
  type Preset,
  problemOfName,
  RESERVED_NAMESPACES,
} from "../core/index.ts";
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
      ...problemsIn(preset),
    ];
    return messages.map((message) => ({ keys: [...where, name], message }));
  });
}

function* problemsIn({
  name,
  operation,
  input = {},
  pick = [],
  rename = {},
  into,
}: Preset): Iterable<string> {
  const badName = problemOfName(name);
  if (badName !== undefined) yield `the name ${badName}.`;
  else if (RESERVED_NAMESPACES.has(namespaceOf(name)))
    yield `the gateway's own operations have the namespace ${namespaceOf(name)}. Choose another one.`;
  const badOperation = problemOfName(operation);
  if (badOperation !== undefined) yield `operation: the name ${badOperation}.`;
  const inner = into === undefined ? input : input[into];
  if (inner !== undefined && !isRecord(inner))
    yield `input fixes ${into}, which "into" fills with what callers give. Leave out one of them.`;
  const fixed = Object.keys(isRecord(inner) ? inner : {});
  for (const each of fixed) {
    if (pick.includes(each)) yield `${each} is fixed by input and cannot be picked. Leave out one of them.`;
    if (Object.values(rename).includes(each))
      yield `${each} is fixed by input and cannot be renamed. Leave out one of them.`;
  }
  const olds = Object.values(rename);
  for (const old of new Set(olds))
    if (olds.filter((each) => each === old).length > 1)
      yield `rename gives ${old} two names. Keep one of them.`;
  for (const [to, old] of Object.entries(rename)) {
    if (pick.length > 0 && !pick.includes(old)) yield `rename: ${old} is not picked. Add it to pick.`;
    if (pick.includes(to) && !olds.includes(to))
      yield `rename: ${to} is picked already under its own name. Choose another name.`;
  }
}
