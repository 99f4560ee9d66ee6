import type { ToolName } from "../../contract/index.ts";
import { type Call, isRecord, normaliseName, type UnknownRecord } from "../../core/index.ts";

/** The operation that is listed as a tool of this name to the caller, if there is one. */
export type FindOperation = (tool: string) => string | undefined;

/** These list operations, and a tool's result cannot carry what streams. */
const LISTS: ReadonlySet<string> = new Set(["services/search", "services/list"]);

/** Reads what a caller wrote for one of the tools as an MCP client means it. */
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

/** A call by the name of the operation, whose list has nothing that the caller cannot call. */
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
