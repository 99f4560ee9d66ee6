import { isRecord, type UnknownRecord } from "../../core/index.ts";

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
