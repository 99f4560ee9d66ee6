import {
  createRedactor,
  createSourceRules,
  type Handler,
  ImportError,
  isRecord,
  namespaceOf,
  type OperationSpec,
  RESERVED_NAMESPACES,
  type Redactor,
  type Registration,
  type SourceOptions,
  type SourceRules,
  withoutInvisible,
} from "../../core/index.ts";
import { MAX_HOPS } from "../../protocol/index.ts";
import { readSpec, remoteNameOf, type SpecRules, viaOf } from "./read-spec.ts";

/** How a list becomes registrations. */
interface ImportRules
  extends Omit<SpecRules, "isListed">,
    Pick<SourceOptions, "external" | "scopes" | "public" | "operations" | "capabilities"> {
  /** The code of an operation, by its name at the node. */
  readonly handlerOf: (spec: OperationSpec, remoteName: string) => Handler;
  /** Other operations of this node that its calls run as. */
  readonly runsAs?: (remoteName: string) => readonly string[];
  /** The id of this node: what would lead back to it is not brought in. */
  readonly nodeId: string;
  /** The secrets of the source at the moment, which are kept out of what the node says about its operations. */
  readonly secrets?: (() => readonly string[]) | undefined;
}

/** What of a list can be used, and why the rest cannot. */
interface ImportedList {
  readonly registrations: readonly Registration[];
  readonly leftOut: readonly ImportError[];
  /** Names at this node, by the names at the other. */
  readonly names: ReadonlyMap<string, string>;
  /** What the operator said that has no effect. */
  readonly warnings: readonly string[];
}

/**
 * Turns what a node lists into registrations. What comes from this node, through however many others, is passed over
 * without a word: in a ring each round would otherwise make the names longer (decision 035).
 */
export function importList(listed: readonly unknown[], rules: ImportRules): ImportedList {
  const names = new Set(listed.map((each) => (isRecord(each) ? each.name : undefined)));
  const sourceRules = createSourceRules(rules);
  const taken = new Set<string>();
  const local = new Map<string, string>();
  const registrations: Registration[] = [];
  const leftOut: ImportError[] = [];
  const redactor = createRedactor(rules.secrets?.() ?? []);
  for (const each of listed) {
    try {
      const registration = toRegistration(each, {
        ...rules,
        redactor,
        sourceRules,
        isListed: (name) => names.has(name),
      });
      if (!registration) continue;
      const { name, aliases = [] } = registration.spec;
      const twice = [name, ...aliases].find((known) => taken.has(known));
      if (twice !== undefined)
        throw new ImportError(
          "NAME_COLLISION",
          `two operations would be named ${twice}; the first one stays`,
        );
      for (const known of [name, ...aliases]) taken.add(known);
      registrations.push(registration);
      local.set(remoteNameOf(each), name);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      leftOut.push(error);
    }
  }
  return { registrations, leftOut, names: local, warnings: sourceRules.problems() };
}

function toRegistration(
  listed: unknown,
  rules: ImportRules & SpecRules & { readonly redactor: Redactor; readonly sourceRules: SourceRules },
): Registration | undefined {
  const remoteName = remoteNameOf(listed);
  // What a node publishes about itself stays there: here it would be open to callers of all the rest.
  if (!isRecord(listed) || RESERVED_NAMESPACES.has(namespaceOf(remoteName))) return undefined;
  const via = viaOf(listed);
  if (via.includes(rules.nodeId) || via.length >= MAX_HOPS) return undefined;
  const spec: OperationSpec = rules.sourceRules.apply(
    readSpec(rules.redactor.value(withoutInvisible(listed)), rules),
    remoteName,
  );
  return {
    spec,
    handler: rules.handlerOf(spec, remoteName),
    provenance: "from-call",
    public: rules.public,
    ...(via.length > 0 && { via }),
    ...(rules.runsAs && { runsAs: rules.runsAs(remoteName) }),
    ...(listed.selects === true && { selects: true }),
    ...(rules.capabilities && { capabilities: rules.capabilities }),
  };
}
