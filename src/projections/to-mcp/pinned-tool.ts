import type { Tool } from "@modelcontextprotocol/server";
import { isRecord, type JsonSchema, measureJson, type Registration } from "../../core/index.ts";
import { shortenSchema } from "../../formats/index.ts";

/** A model is shown every description of a list before it has asked for anything, so that one tool must not take it all. */
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 4_000;
const MAX_SCHEMA_BYTES = 32_768;
/** How many levels are left of a schema that is too large, and how much of each description in it. */
const SHORTER: readonly (readonly [depth: number, text: number])[] = [
  [4, 300],
  [2, 100],
  [1, 0],
];
const MAX_PARTS = 5_000;
const MAX_VALUES = 50;
const MAX_VALUE_BYTES = 1_000;

/** An operation as a tool of its own. What is too long for a list is cut, and says where all of it is. */
export function pinnedTool(name: string, registration: Registration): Tool {
  const { title, description, inputSchema, name: operation } = registration.spec;
  const schema = listedSchema(inputSchema);
  const isCut = description.length > MAX_DESCRIPTION || schema !== inputSchema;
  const note = `(Shortened for this list: schema {"names":["${operation}"]} says more.)`;
  return {
    name,
    ...(title !== undefined && { title: cut(title, MAX_TITLE) }),
    description: isCut ? `${cut(description, MAX_DESCRIPTION)} ${note}` : description,
    inputSchema: schema as unknown as Tool["inputSchema"],
    annotations: hintsOf(registration),
    _meta: { "pinhole/operation": operation },
  };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** The same where it is small enough. Calls are checked against the whole one. */
function listedSchema(schema: JsonSchema): JsonSchema {
  const fits = (each: JsonSchema) => !measureJson(each, MAX_SCHEMA_BYTES).over;
  if (!isRecord(schema) || fits(schema)) return schema;
  for (const [depth, most] of SHORTER) {
    const describe = (text: string) => (most === 0 ? "" : cut(text, most));
    const rest = { values: MAX_VALUES, valueBytes: MAX_VALUE_BYTES, maxParts: MAX_PARTS };
    const short = shortenSchema(schema, { depth, describe, ...rest })?.schema;
    if (short !== undefined && fits(short)) return short;
  }
  return { type: "object" };
}

/** What a client goes by when it decides whether to ask its user. */
const HINTS = ["destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * Whether the operation writes is what this gateway holds it for. A client takes hints for the word of the gateway, so
 * those of an untrusted server are left out: without them a client is as careful as it can be.
 */
function hintsOf({ spec, provenance, trustsHints }: Registration): Tool["annotations"] {
  const { annotations = {}, mutates } = spec;
  const said = HINTS.filter((hint) => typeof annotations[hint] === "boolean");
  return {
    ...((provenance === "local" || trustsHints) &&
      Object.fromEntries(said.map((hint) => [hint, annotations[hint]]))),
    readOnlyHint: !mutates,
  };
}
