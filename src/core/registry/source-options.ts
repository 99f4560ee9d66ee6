import { compilePatterns } from "../access/index.ts";
import type { AccessControl, CapabilityProvider, OperationSpec, Visibility } from "../model/index.ts";
import { namespaceOf } from "../model/index.ts";

/** What an operator says about one operation of a source. */
export interface OperationOverride {
  /** Takes the place of the name; the namespace stays. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Whether callers may reach it, whatever the patterns of the source say. */
  readonly external?: boolean | undefined;
  /** Take the place of the scopes of the source. */
  readonly scopes?: readonly string[] | undefined;
}

/** What an operator says about a source, whatever its kind. */
export interface SourceOptions {
  /** The name of the source, and the namespace of what it imports. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The credentials by which a principal's calls are made; without one, calls carry no credential. */
  readonly capabilities?: CapabilityProvider | undefined;
  /** The secrets of the source itself at the moment, which are kept out of everything that it says. */
  readonly secrets?: (() => readonly string[]) | undefined;
  /** Patterns of the operations that callers may reach; undefined: all that the source itself does not keep internal. */
  readonly external?: readonly string[] | undefined;
  readonly scopes: readonly string[];
  /** Whether callers without an identity may reach them too, once there are identities. */
  readonly public: boolean;
  /** By the source's own name of an operation, or by its name here with or without the namespace. */
  readonly operations?: Readonly<Record<string, OperationOverride>> | undefined;
  /** How long one call may take. */
  readonly timeoutMs: number;
}

/** What an operator says about a source, ready to be applied to what the source offers at one time. */
export interface SourceRules {
  /** The spec as the operator wants it. `own` is what the source itself calls the operation, where that differs. */
  apply(spec: OperationSpec, own?: string): OperationSpec;
  /** Once all specs were applied: what the operator said that has no effect. */
  problems(): readonly string[];
}

/**
 * Compiles what an operator says about a source. It only ever narrows: an operation that its source keeps internal
 * stays so, and scopes are asked for beside those that the operation itself asks for.
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
      return { ...spec, name, namespace: namespaceOf(name), description, visibility, access };
    },
    problems: () => [
      ...[...unused].map((key) => `operations.${key} matches no operation of the source`),
      ...withoutEffect,
    ],
  };
}

function withScopes(access: AccessControl, scopes: readonly string[]): AccessControl {
  return scopes.length === 0
    ? access
    : { ...access, scopes: [...new Set([...(access.scopes ?? []), ...scopes])] };
}
