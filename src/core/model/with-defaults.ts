import { atFragment, isRecord, type JsonSchema } from "./json.ts";

/** References that are followed, and objects in objects. */
const MAX_STEPS = 8;

/** The value with the defaults of its schema for properties that are missing, also in objects inside it; lists stay as they are. */
export function withDefaults(schema: JsonSchema, value: unknown): unknown {
  return filled(schema, value, { root: schema, depth: 0 });
}

function filled(
  given: unknown,
  value: unknown,
  { root, depth }: { readonly root: JsonSchema; readonly depth: number },
): unknown {
  const schema = target(given, root);
  if (depth > MAX_STEPS || !isRecord(schema) || !isRecord(schema.properties) || !isRecord(value))
    return value;
  const changes = Object.entries(schema.properties).flatMap(([name, given]) => {
    const property = target(given, root);
    const isThere = Object.hasOwn(value, name);
    if (!isThere && !(isRecord(property) && Object.hasOwn(property, "default"))) return [];
    const before = isThere ? value[name] : structuredClone((property as { default: unknown }).default);
    const after = filled(property, before, { root, depth: depth + 1 });
    return isThere && after === before ? [] : [[name, after] as const];
  });
  return changes.length === 0 ? value : { ...value, ...Object.fromEntries(changes) };
}

/** A schema, or the one that it refers to in the same document. */
function target(given: unknown, root: JsonSchema): unknown {
  let schema = given;
  for (let step = 0; step < MAX_STEPS && isRecord(schema) && typeof schema.$ref === "string"; step++)
    schema = atFragment(root, schema.$ref);
  return schema;
}
