import { isRecord } from "../core/index.ts";
import { configSchema } from "./schema.ts";
import type { SourceKinds } from "./source-kinds.ts";

/** Keywords for this program alone. */
const OWN_KEYWORDS = new Set(["flag", "sensitive", "advice", "retired"]);
/** Below these, keys are names of properties, not keywords. */
const NAMED = new Set(["properties", "patternProperties", "$defs"]);
/** Below these is data. */
const DATA = new Set(["default", "enum", "const", "examples"]);

/** The schema of the configuration for editors, without the keywords of this program. */
export function editorSchema(kinds: SourceKinds): Readonly<Record<string, unknown>> {
  return {
    // The newest version that YAML language servers know well; nothing in the schema needs a newer one.
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "pinhole.yaml",
    description: "The configuration of Pinhole, a gateway between AI agents and any number of tools.",
    ...(strip(configSchema(kinds)) as object),
  };
}

function strip(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strip);
  if (!isRecord(schema)) return schema;
  // Editors get the kinds of source as alternatives; the union of their keys is for this program.
  if (isRecord(schema.kinds)) return { anyOf: Object.values(schema.kinds).map(strip) };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !OWN_KEYWORDS.has(keyword))
      .map(([keyword, value]) => {
        if (DATA.has(keyword)) return [keyword, value];
        if (!NAMED.has(keyword) || !isRecord(value)) return [keyword, strip(value)];
        return [
          keyword,
          Object.fromEntries(Object.entries(value).map(([name, part]) => [name, strip(part)])),
        ];
      }),
  );
}
