import { ImportError, isRecord, sameJson, type UnknownRecord } from "../../core/index.ts";
import { remoteNameOf, viaOf } from "./import-list.ts";

/** The list of one member of a group. */
interface MemberList {
  readonly name: string;
  readonly listed: readonly unknown[];
}

/** One operation of a group. */
interface Merged {
  readonly listed: UnknownRecord;
  /** The members that have it, in order of preference. */
  readonly members: readonly string[];
}

/** The operations of a group by their names at its members, and what of the members is left out. */
interface MergedLists {
  readonly operations: ReadonlyMap<string, Merged>;
  readonly leftOut: readonly ImportError[];
}

/**
 * Merges the lists of members. The first member that lists an operation defines it; others serve it too where their definitions
 * are equal, because callers must get the same wherever a call goes (decision 074).
 */
export function mergeLists(members: readonly MemberList[], nodeId: string): MergedLists {
  const operations = new Map<string, Merged>();
  const leftOut: ImportError[] = [];
  // Operations of one node share parts of their schemas.
  const known = new Map<object, object>();
  for (const { name, listed } of members) {
    for (const each of listed) {
      if (!isRecord(each) || viaOf(each).includes(nodeId)) continue;
      const remoteName = nameOf(each);
      const first = remoteName === undefined ? undefined : operations.get(remoteName);
      if (remoteName === undefined || first?.members.includes(name)) continue;
      if (!first) operations.set(remoteName, { listed: each, members: [name] });
      else if (sameJson(definitionOf(first.listed), definitionOf(each), known))
        operations.set(remoteName, {
          listed: { ...first.listed, selects: first.listed.selects === true && each.selects === true },
          members: [...first.members, name],
        });
      else leftOut.push(differs(remoteName, name, first.members));
    }
  }
  return { operations, leftOut };
}

/** Operations that cannot be used are reported by the member's own source. */
function nameOf(listed: UnknownRecord): string | undefined {
  try {
    return remoteNameOf(listed);
  } catch {
    return undefined;
  }
}

function definitionOf({ via: _, selects: __, ...definition }: UnknownRecord): UnknownRecord {
  return definition;
}

function differs(remoteName: string, member: string, [first]: readonly string[]): ImportError {
  return new ImportError(
    "SCHEMA_PARSE",
    `${member} defines ${remoteName} otherwise than ${first}, so that calls of it do not go to ${member}`,
  );
}
