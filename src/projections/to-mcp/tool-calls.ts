import { TOOL_NAMES, type ToolName } from "../../contract/index.ts";
import {
  type Call,
  CallError,
  type Caller,
  createView,
  type Entrance,
  findPreset,
  isRecord,
  nearest,
  normaliseName,
  type OperationSpec,
  type Snapshot,
  type UnknownRecord,
} from "../../core/index.ts";

/** Names that models know from other gateways; accepted, never listed. */
export const OTHER_NAMES: Readonly<Record<string, ToolName>> = {
  tool_search: "search",
  tool_describe: "schema",
  tool_invoke: "call",
};

/** The tool that is `call` for queries alone. */
export const QUERY_TOOL = "query";

/** The tool that a name means, if it means one. */
export function toolOf(name: string): ToolName | undefined {
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  return TOOL_NAMES.find((tool) => tool === name);
}

/**
 * Says that a tool does not exist, and what to use instead: one of the `listed` tools of the caller, or `call` with the
 * operation that the name seems to mean.
 */
export function unknownTool(
  name: string,
  { listed, callable }: { readonly listed: readonly string[]; readonly callable?: string | undefined },
): string {
  const [close] = nearest(name, listed, 1);
  const few = listed.length <= 8 ? ` The tools are ${listed.join(", ")}.` : " tools/list shows them.";
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}.${close ? ` Did you mean ${close}?` : few}${about()}`;

  function about(): string {
    if (!listed.includes("call")) return "";
    if (callable !== undefined)
      return ` ${callable} is an operation: run it as call with {"operation": ${JSON.stringify(callable)}}.`;
    return close ? "" : " Operations are not tools: search finds them, and call runs them.";
  }
}

/** Finds the operation that is listed to the caller as a tool of this name. */
export type FindOperation = (tool: string) => string | undefined;

/** These list operations; streams are left out, because the result of a tool cannot carry one. */
const LISTS: ReadonlySet<string> = new Set(["services/search", "services/list"]);

/** Reads the arguments of a tool as an MCP client means them. */
export function asMeant(tool: ToolName, written: UnknownRecord, find: FindOperation): UnknownRecord {
  const { name, names, calls } = written;
  switch (tool) {
    case "search":
      return withoutStreams(written);
    case "schema":
      return {
        ...(name !== undefined && { name: operationOf(name as string, find) }),
        ...(names !== undefined && { names: (names as string[]).map((each) => operationOf(each, find)) }),
      };
    case "batch":
      return { ...written, calls: (calls as Call[]).map((call) => callAsMeant(call, find)) };
    case "call":
      return { ...callAsMeant(written as unknown as Call, find) };
  }
}

/** A call by the name of the operation; if it lists operations, without those that a tool cannot run. */
export function callAsMeant(call: Call, find: FindOperation): Call {
  const operation = operationOf(call.operation, find);
  const { input = {} } = call;
  if (!LISTS.has(normaliseName(operation)) || !isRecord(input)) return { ...call, operation };
  return { ...call, operation, input: withoutStreams(input) };
}

/** Names of tools have no slash and names of operations have one, so that neither is taken for the other. */
function operationOf(name: string, find: FindOperation): string {
  return (name.includes("/") ? undefined : find(name)) ?? name;
}

function withoutStreams(written: UnknownRecord): UnknownRecord {
  const types = [written.type ?? ["query", "mutation"]].flat();
  return { ...written, type: types.filter((type) => type !== "subscription") };
}

/** Refuses an operation that does not only read, and names the tool to use. */
export function refuseWrites({ operation }: Call, snapshot: Snapshot, caller: Caller): void {
  const named = normaliseName(operation);
  const preset = findPreset(snapshot, named, caller);
  const found = preset ?? createView(snapshot, caller).look(named);
  if (found?.sight !== "open" || onlyReads(found.entry.registration.spec)) return;
  const { name, type } = preset?.spec ?? found.entry.registration.spec;
  throw new CallError(
    "INVALID_OPERATION_TYPE",
    `${name} is a ${type}: query runs only what reads. Use call.`,
  );
}

/**
 * The same caller, confined to operations that only read, even if one changes meanwhile. Operations that they compose
 * write nothing either: a client lets this tool pass without asking its user.
 */
export function reading(entrance: Entrance): Entrance {
  return entrance.within({ key: "reads", includes: onlyReads, mutations: () => "deny" });
}

function onlyReads({ type, mutates }: OperationSpec): boolean {
  return type === "query" && !mutates;
}
