import { isSpecType } from "@modelcontextprotocol/client";
import { isRecord, measureJson, type UnknownRecord } from "../../core/index.ts";

const MAX_DEFINITION_BYTES = 262_144;
const MAX_NESTING = 100;
/** How many values a definition may hold beside its schemas. */
const MAX_DEFINITION_VALUES = 1_000;
/** How many bad tools of a page are told one by one. */
const MAX_STAND_INS = 100;
/** The SDK takes a second for so many values that are not what they should be, and minutes and all memory for more. */
const MAX_VALUES = 50_000;
const MODERN = "2026-07-28";

/** Where the stand-in of a tool says what is wrong with the tool. */
export const UNUSABLE = "pinhole/unusable";

/**
 * Makes a result fit for the SDK, which refuses it as a whole for a single fault: a tool that is none stands in
 * the list as an empty one that says why, a result of data alone gets the content that it lacks, and one that
 * does not say what kind of result it is counts as complete (SEP-2322).
 */
export function repairResult<Result extends UnknownRecord>(
  given: Result,
  method: string,
  version = MODERN,
): Result {
  const lacksType = given.resultType === undefined && version >= MODERN && method !== "initialize";
  const typed = lacksType ? { ...given, resultType: "complete" } : given;
  // Not every server leaves out what it has none of.
  const result = typed.nextCursor === null ? { ...typed, nextCursor: undefined } : typed;
  if (method === "tools/list" && Array.isArray(result.tools)) {
    return { ...result, tools: repairTools(result.tools, version) };
  }
  const isDataAlone = result.content === undefined && result.structuredContent !== undefined;
  return method === "tools/call" && isDataAlone ? { ...result, content: [] } : result;
}

/** Whether a result, or what comes unasked, holds more than can be checked; tools are looked at one by one, and data by us. */
export function isTooMuch({ structuredContent, _meta, ...checked }: UnknownRecord, method: string): boolean {
  return method !== "tools/list" && holdsMoreThan(MAX_VALUES, checked);
}

function repairTools(tools: readonly unknown[], version: string): readonly unknown[] {
  const problems = tools.map((tool) => problemOf(tool, version));
  const more = problems.filter((problem) => problem !== undefined).length - MAX_STAND_INS;
  const repaired: unknown[] = [];
  let told = 0;
  for (const [index, tool] of tools.entries()) {
    const problem = problems[index];
    if (problem === undefined) repaired.push(tool);
    else if (++told < MAX_STAND_INS) repaired.push(standIn(tool, problem));
    else if (told === MAX_STAND_INS) {
      const others = more > 0 ? `, and ${more} more are of no use either` : "";
      repaired.push(standIn(tool, `${problem}${others}`));
    }
  }
  return repaired;
}

function standIn(tool: unknown, problem: string): unknown {
  const name = isRecord(tool) && typeof tool.name === "string" ? tool.name : "";
  return { name, inputSchema: { type: "object" }, _meta: { [UNUSABLE]: problem } };
}

/** What is wrong with a tool, as the end of a sentence; depth and size come first, because the rest walks it. */
function problemOf(tool: unknown, version: string): string | undefined {
  if (!isRecord(tool) || typeof tool.name !== "string") return "has no name";
  if (isTooDeep(tool)) return `is nested deeper than ${MAX_NESTING} levels`;
  if (measureJson(tool, MAX_DEFINITION_BYTES).over)
    return `has a definition of more than ${MAX_DEFINITION_BYTES} bytes`;
  if (!isRecord(tool.inputSchema)) return "has no schema for its input";
  if (tool.inputSchema.type !== "object") return "takes an input that is no object";
  const { inputSchema, outputSchema, _meta, ...rest } = tool;
  if (!areTexts(inputSchema.required) || holdsMoreThan(MAX_DEFINITION_VALUES, rest) || !isSpecType.Tool(tool))
    return "has a definition that is not what MCP says";
  const mirrors = version >= MODERN ? problemOfMirrors(inputSchema) : undefined;
  if (mirrors !== undefined) return mirrors;
  // Such a call is answered with a task that its client has to look after. Since 2026-07-28 there is no such word.
  const { taskSupport } = isRecord(tool.execution) ? tool.execution : {};
  if (version < MODERN && taskSupport === "required")
    return "can only be run as a task, which a gateway does not do";
  // Before 2026-07-28 an output had to be described as an input is.
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

/** Counts no further than it must, and without recursion: nobody has checked how deep it is. */
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
/** What a header may be called (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Keywords that hold values of the caller's kind, and no schemas. */
const OF_DATA = new Set([MIRRORED, "default", "const", "enum", "examples"]);

/** Where in a schema a part of it stands. */
type Place = "root" | "property" | "elsewhere";

interface Mirrored {
  readonly schema: UnknownRecord;
  readonly place: Place;
}

/**
 * What is wrong with the arguments that a tool wants to be repeated as headers, as the end of a sentence. Such a tool
 * must not be offered (SEP-2243); the SDK would leave it out as well, but tell only the terminal.
 */
export function problemOfMirrors(inputSchema: UnknownRecord): string | undefined {
  const names = new Set<string>();
  for (const { schema, place } of mirroredIn(inputSchema, "root")) {
    const name = schema[MIRRORED];
    if (place !== "property") return `declares ${MIRRORED} on what is no property of its input`;
    if (typeof name !== "string" || !HEADER_NAME.test(name))
      return `declares an ${MIRRORED} that is no name of a header`;
    if (!MIRRORABLE.includes(schema.type))
      return `declares ${MIRRORED} on a property that is no string, integer or boolean`;
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
