import { definitionOf } from "../../adapters/index.ts";
import type { Config } from "../../config/index.ts";
import { compilePatterns, problemOfPreset, type Registry } from "../../core/index.ts";
import { type Finding, note } from "./check.ts";

/** Finds patterns that match no operation, and presets that cannot work; patterns about absent sources cannot be judged. */
export function checkPatterns(
  config: Config,
  registry: Registry,
  absent: ReadonlySet<string>,
): readonly Finding[] {
  const snapshot = registry.snapshot();
  const { sources } = snapshot;
  const names = [...sources.values()].flatMap(({ registrations }) =>
    registrations.map(({ spec }) => spec.name),
  );
  // A member of a group is called under the names of the group.
  const called = new Set(
    [...sources.values()].flatMap(({ registrations }) => registrations.flatMap(({ runsAs = [] }) => runsAs)),
  );
  const isMember = (name: string) =>
    sources.get(name)?.registrations.some(({ spec }) => called.has(spec.name)) ?? false;
  const isAbout = (pattern: string) => [...absent].some((name) => pattern.startsWith(`${name}/`));
  const unfit = (patterns: readonly string[], among: readonly string[]) =>
    patterns.filter((pattern) => !isAbout(pattern) && !among.some(compilePatterns([pattern])));

  const external = Object.entries(config.sources).flatMap(([name, source]) => {
    const patterns = [source.external ?? []].flat().map(String);
    if (absent.has(name) || (definitionOf(source).isOwnCode && source.external === undefined)) return [];
    if (patterns.length === 0) {
      if (isMember(name)) return [];
      return [
        note(
          name,
          `No caller can reach any of its operations, since external is ${source.external === undefined ? "not set" : "empty"}.`,
          `Set sources.${name}.external to "*" or to patterns, unless only plugins use it.`,
        ),
      ];
    }
    const own = (sources.get(name)?.registrations ?? []).flatMap(({ spec }) => [
      spec.name,
      spec.name.slice(spec.namespace.length + 1),
    ]);
    return own.length === 0
      ? []
      : unfit(patterns, own).map((pattern) => unused(name, `sources.${name}.external`, pattern));
  });
  const deny = unfit(config.deny, [...names, ...snapshot.presets.keys()]).map((pattern) =>
    unused("deny", "deny", pattern),
  );
  const facets = Object.entries(config.facets).flatMap(([facet, given]) =>
    unfit(operationsOf(given), names).map((pattern) => unused("facets", `facets.${facet}`, pattern)),
  );
  const presets = [...snapshot.presets.values()].flatMap((known) => {
    const { name, operation } = known.preset;
    if (isAbout(operation) || snapshot.policy.denies(name)) return [];
    const problem = problemOfPreset(snapshot, known);
    if (problem === undefined) return [];
    const [about, kind, place] = known.preset.isAlias
      ? ["aliases", "alias", "aliases"]
      : ["facets", "tool", "tools of its facet or its operation"];
    const advice = `Correct ${name} under ${place}, or take it out.`;
    return [note(about, `The ${kind} ${name} is withheld: ${problem}.`, advice)];
  });
  return [...external, ...deny, ...facets, ...presets];
}

function operationsOf(facet: unknown): readonly string[] {
  if (Array.isArray(facet)) return facet.map(String);
  const { operations = [] } = facet as { readonly operations?: readonly string[] };
  return operations;
}

function unused(about: string, where: string, pattern: string): Finding {
  return note(
    about,
    `${where}: ${JSON.stringify(pattern)} matches no operation.`,
    `Correct or remove it; pinhole search shows the names.`,
  );
}

/** Finds scopes that sources ask for and no identity has. */
export function checkScopes({ sources, identities, issuers }: Config): readonly Finding[] {
  // The scopes in the tokens of an issuer are not known here.
  if (issuers.length > 0) return [];
  const held = new Set(identities.flatMap(({ scopes }) => scopes));
  return Object.entries(sources).flatMap(([name, { scopes }]) => {
    const missing = scopes.filter((scope) => !held.has(scope));
    if (missing.length === 0) return [];
    const list = missing.join(", ");
    const advice = `Give ${missing.length === 1 ? "it" : "them"} to an identity (pinhole token NAME --scopes ${missing.join(",")}), or take it out of sources.${name}.scopes.`;
    return [
      note(name, `No identity has the scope ${list} that it asks for, so no caller can use it.`, advice),
    ];
  });
}
