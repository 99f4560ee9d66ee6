import {
  type Call,
  CallError,
  type Caller,
  createView,
  type Entrance,
  normaliseName,
  type OperationSpec,
  type Snapshot,
} from "../../core/index.ts";

/** Says which tool to use for an operation that is there but does not only read. */
export function refuseWrites({ operation }: Call, snapshot: Snapshot, caller: Caller): void {
  const found = createView(snapshot, caller).look(normaliseName(operation));
  if (found?.sight !== "open" || onlyReads(found.entry.registration.spec)) return;
  const { name, type } = found.entry.registration.spec;
  throw new CallError(
    "INVALID_OPERATION_TYPE",
    `${name} is a ${type}: query runs only what reads. Use call.`,
  );
}

/**
 * The same caller, who reaches nothing but what reads, whatever becomes of an operation meanwhile. What it calls further
 * down writes nothing either: a client lets this tool pass without asking its user.
 */
export function reading(entrance: Entrance): Entrance {
  return entrance.within({ key: "reads", includes: onlyReads, mutations: () => "deny" });
}

function onlyReads({ type, mutates }: OperationSpec): boolean {
  return type === "query" && !mutates;
}
