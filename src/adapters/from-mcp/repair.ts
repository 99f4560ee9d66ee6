import { isSpecType } from "@modelcontextprotocol/client";
import { isRecord, measureJson, type UnknownRecord } from "../../core/index.ts";

const MAX_DEFINITION_BYTES = 262_144;
const MAX_NESTING = 100;
/** Values that a definition may hold besides its schemas. */
const MAX_DEFINITION_VALUES = 1_000;
/** Invalid tools of a page that are reported one by one. */
const MAX_STUBS = 100;
/** The SDK takes a second to refuse this many invalid values; for more it takes minutes and all memory. */
const MAX_VALUES = 50_000;
const MODERN = "2026-07-28";

/** Key under which the stub of an invalid tool carries the reason. */
export const UNUSABLE = "pinhole/unusable";

/**
 * Repairs a result for the SDK, which refuses all of it for a single fault. An invalid tool is replaced by a stub that
 * carries the reason, a result of data alone gets empty content, and a result without a type counts as
 * complete (SEP-2322).
 */
export function repairResult<Result extends UnknownRecord>(
  given: Result,
  method: string,
  version = MODERN,
): Result {
  const lacksType = given.resultType === undefined && version >= MODERN && method !== "initialize";
  const typed = lacksType ? { ...given, resultType: "complete" } : given;
  // Some servers send `nextCursor: null`.
  const result = typed.nextCursor === null ? { ...typed, nextCursor: undefined } : typed;
  if (method === "tools/list" && Array.isArray(result.tools)) {
    return { ...result, tools: repairTools(result.tools, version) };
  }
  const isDataAlone = result.content === undefined && result.structuredContent !== undefined;
  return method === "tools/call" && isDataAlone ? { ...result, content: [] } : result;
}

/** True if a message holds more values than the SDK can check; tools are checked one by one, and data by dispatch. */
export function isTooMuch({ structuredContent, _meta, ...checked }: UnknownRecord, method: string): boolean {
  return method !== "tools/list" && holdsMoreThan(MAX_VALUES, checked);
}

function repairTools(tools: readonly unknown[], version: string): readonly unknown[] {
  const problems = tools.map((tool) => problemOf(tool, version));
  const more = problems.filter((problem) => problem !== undefined).length - MAX_STUBS;
  const repaired: unknown[] = [];
  let told = 0;
  for (const [index, tool] of tools.entries()) {
    const problem = problems[index];
    if (problem === undefined) repaired.push(tool);
    else if (++told < MAX_STUBS) repaired.push(stubOf(tool, problem));
    else if (told === MAX_STUBS) {
      const others = more > 0 ? `, and ${more} more are unusable too` : "";
      repaired.push(stubOf(tool, `${problem}${others}`));
    }
  }
  return repaired;
}

function stubOf(tool: unknown, problem: string): unknown {
  const name = isRecord(tool) && typeof tool.name === "string" ? tool.name : "";
  return { name, inputSchema: { type: "object" }, _meta: { [UNUSABLE]: problem } };
}

/** The problem of a tool, as the end of a sentence. Depth and size come first, because the other checks walk the tool. */
function problemOf(tool: unknown, version: string): string | undefined {
  if (!isRecord(tool) || typeof tool.name !== "string") return "has no name";
  if (isTooDeep(tool)) return `is nested deeper than ${MAX_NESTING} levels`;
  if (measureJson(tool, MAX_DEFINITION_BYTES).over)
    return `has a definition of more than ${MAX_DEFINITION_BYTES} bytes`;
  if (!isRecord(tool.inputSchema)) return "has no schema for its input";
  if (tool.inputSchema.type !== "object") return "takes an input that is not an object";
  const { inputSchema, outputSchema, _meta, ...rest } = tool;
  if (!areTexts(inputSchema.required) || holdsMoreThan(MAX_DEFINITION_VALUES, rest) || !isSpecType.Tool(tool))
    return "has a definition that MCP does not allow";
  const mirrors = version >= MODERN ? problemOfMirrors(inputSchema) : undefined;
  if (mirrors !== undefined) return mirrors;
  // The answer would be a task that the client has to poll. 2026-07-28 has no such tools.
  const { taskSupport } = isRecord(tool.execution) ? tool.execution : {};
  if (version < MODERN && taskSupport === "required")
    return "can only be run as a task, which a gateway does not do";
  // Before 2026-07-28 the schema of an output had to be one of an object.
  const asInput = { name: "output", inputSchema: outputSchema };
  if (version < MODERN && outputSchema !== undefined && !isSpecType.Tool(asInput))
    return "declares an output that its revision of MCP does not have";
  return undefined;
}

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth > MAX_NESTING || Object.values(value).some((part) => isTooDeep(part, depth + 1));
}

function areTexts(list: unknown): boolean {
  return !Array.isArray(list) || list.every((each) => typeof each === "string");
}

/** Counts only as far as it must, and without recursion: the depth is not checked yet. */
function holdsMoreThan(limit: number, value: unknown): boolean {
  const waiting = [value];
  for (let count = 0; waiting.length > 0; count++) {
    if (count + waiting.length > limit) return true;
    const next = waiting.pop();
    if (typeof next === "object" && next !== null) for (const part of Object.values(next)) waiting.push(part);
  }
  return false;
}

const MIRRORED = "x-mcp-header";
const MIRRORABLE: readonly unknown[] = ["string", "integer", "boolean"];
/** Names of headers (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Keywords that hold data, not schemas. */
const OF_DATA = new Set([MIRRORED, "default", "const", "enum", "examples"]);

type Place = "root" | "property" | "elsewhere";

interface Mirrored {
  readonly schema: UnknownRecord;
  readonly place: Place;
}

/**
 * The problem of the arguments that a tool wants repeated as headers, as the end of a sentence. Such a tool must be left
 * out (SEP-2243); the SDK would do that too, but report it only on the terminal.
 */
export function problemOfMirrors(inputSchema: UnknownRecord): string | undefined {
  const names = new Set<string>();
  for (const { schema, place } of mirroredIn(inputSchema, "root")) {
    const name = schema[MIRRORED];
    if (place !== "property") return `declares ${MIRRORED} on something that is not a property of its input`;
    if (typeof name !== "string" || !HEADER_NAME.test(name))
      return `declares an ${MIRRORED} that is not the name of a header`;
    if (!MIRRORABLE.includes(schema.type))
      return `declares ${MIRRORED} on a property that is not a string, integer or boolean`;
    if (names.has(name.toLowerCase())) return `declares the same ${MIRRORED} twice`;
    names.add(name.toLowerCase());
  }
  return undefined;
}

function mirroredIn(part: unknown, place: Place, found: Mirrored[] = []): readonly Mirrored[] {
  if (Array.isArray(part)) for (const each of part) mirroredIn(each, "elsewhere", found);
  if (!isRecord(part)) return found;
  if (Object.hasOwn(part, MIRRORED)) found.push({ schema: part, place });
  for (const [keyword, value] of Object.entries(part)) {
    if (OF_DATA.has(keyword)) continue;
    const isChain = keyword === "properties" && place !== "elsewhere" && isRecord(value);
    if (!isChain) mirroredIn(value, "elsewhere", found);
    else for (const property of Object.values(value)) mirroredIn(property, "property", found);
  }
  return found;
}
