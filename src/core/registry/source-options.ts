import { compilePatterns } from "../access/index.ts";
import type { AccessControl, CapabilityProvider, OperationSpec, Visibility } from "../model/index.ts";
import { namespaceOf } from "../model/index.ts";

/** Settings of an operator for one operation of a source. */
export interface OperationOverride {
  /** Replaces the name; the namespace stays. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Overrides the patterns of the source. */
  readonly external?: boolean | undefined;
  /** Replace the scopes of the source. */
  readonly scopes?: readonly string[] | undefined;
  /** The aliases that stay. */
  readonly aliases?: readonly string[] | undefined;
}

/** Settings of an operator for a source of any kind. */
export interface SourceOptions {
  /** The name of the source, and the namespace of what it imports. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The credentials by which a principal's calls are made; without one, calls carry no credential. */
  readonly capabilities?: CapabilityProvider | undefined;
  /** Current secrets of the source itself, which are kept out of everything that it says. */
  readonly secrets?: (() => readonly string[]) | undefined;
  /** Patterns of the operations that callers may reach; by default all that the source itself does not keep internal. */
  readonly external?: readonly string[] | undefined;
  readonly scopes: readonly string[];
  /** Callers without an identity may reach them even when identities are configured. */
  readonly public: boolean;
  /** By the source's own name of an operation, or by its name here with or without the namespace. */
  readonly operations?: Readonly<Record<string, OperationOverride>> | undefined;
  /** Timeout of a call. */
  readonly timeoutMs: number;
}

/** Compiled settings of a source, applied to one set of its specs. */
export interface SourceRules {
  /** The spec with the operator's settings. `own` is the source's own name of the operation, if it differs. */
  apply(spec: OperationSpec, own?: string): OperationSpec;
  /** Settings without effect, once all specs were applied. */
  problems(): readonly string[];
}

/**
 * Compiles an operator's settings for a source. They only narrow: an operation that its source keeps internal
 * stays internal, and scopes are required in addition to those of the operation itself.
 */
export function createSourceRules(
  options: Pick<SourceOptions, "external" | "scopes" | "operations">,
): SourceRules {
  const { external, scopes, operations = {} } = options;
  const isExternal = external === undefined ? () => true : compilePatterns(external);
  const unused = new Set(Object.keys(operations));
  const withoutEffect: string[] = [];

  return {
    apply(spec, own) {
      const local = spec.name.slice(spec.namespace.length + 1);
      const known = [...(own === undefined ? [] : [own]), local, spec.name];
      const key = known.find((name) => Object.hasOwn(operations, name));
      if (key !== undefined) unused.delete(key);
      const override = key === undefined ? {} : (operations[key] ?? {});
      const name = override.name === undefined ? spec.name : `${spec.namespace}/${override.name}`;
      const shown = override.name === undefined ? known : [override.name, name];
      if (override.external && spec.visibility === "internal")
        withoutEffect.push(
          `operations.${key}.external: true has no effect, because its source keeps it internal`,
        );
      const mayBeReached = spec.visibility === "external" && (override.external ?? shown.some(isExternal));
      const visibility: Visibility = mayBeReached ? "external" : "internal";
      const access = withScopes(spec.access, override.scopes ?? scopes);
      const { description = spec.description } = override;
      if (override.aliases)
        withoutEffect.push(...problemsOfAliases(override.aliases, spec, `operations.${key}.aliases`));
      const aliases = spec.aliases?.filter((alias) => override.aliases?.includes(alias) !== false);
      return {
        ...spec,
        name,
        namespace: namespaceOf(name),
        description,
        visibility,
        access,
        ...(aliases && { aliases }),
      };
    },
    problems: () => [
      ...[...unused].map((key) => `operations.${key} matches no operation of the source`),
      ...withoutEffect,
    ],
  };
}

function problemsOfAliases(
  keep: readonly string[],
  { aliases = [] }: OperationSpec,
  key: string,
): readonly string[] {
  if (aliases.length === 0) return [`${key} has no effect, because the operation has none`];
  return keep
    .filter((alias) => !aliases.includes(alias))
    .map((alias) => `${key}: ${alias} has no effect, because the operation does not have this alias`);
}

function withScopes(access: AccessControl, scopes: readonly string[]): AccessControl {
  return scopes.length === 0
    ? access
    : { ...access, scopes: [...new Set([...(access.scopes ?? []), ...scopes])] };
}
