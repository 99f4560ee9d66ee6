import { type JsonSchema, NO_INPUT, type Steps } from "../../core/index.ts";
import type { ApiParameter } from "./model.ts";
import type { ReadBody } from "./read-body.ts";
import type { ReadParameter } from "./read-parameters.ts";
import type { SchemaPool, Taken } from "./schema-pool.ts";

const PLACES = ["path", "query", "header", "cookie"] as const;
/** The key of the body in an input. */
export const BODY_KEY = "body";

/** The flat input of an operation: each parameter under a key of its own, the body as `body`. */
export function* inputOf(
  read: readonly ReadParameter[],
  body: ReadBody | undefined,
  pool: SchemaPool,
): Steps<{ readonly parameters: readonly ApiParameter[]; readonly inputSchema: JsonSchema }> {
  if (read.length === 0 && !body) return { parameters: [], inputSchema: NO_INPUT };
  const keys = new Set<string>(body ? [BODY_KEY] : []);
  const parameters: ApiParameter[] = [];
  const parts: { readonly key: string; readonly required: boolean; readonly taken: Taken }[] = [];
  for (const place of PLACES) {
    for (const { parameter, taken } of read) {
      if (parameter.place !== place) continue;
      const key = keyFor(parameter, keys);
      // Most keys are the names, and then one record serves all operations.
      parameters.push(key === parameter.key ? parameter : { ...parameter, key });
      parts.push({ key, required: parameter.required, taken });
      yield;
    }
  }
  if (body) parts.push({ key: BODY_KEY, required: body.required, taken: body.taken });
  const required = parts.filter((part) => part.required).map(({ key }) => key);
  const properties = Object.fromEntries(parts.map(({ key, taken }) => [key, taken.schema]));
  yield;
  const schema = {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return {
    parameters,
    inputSchema: yield* pool.whole({ schema, refs: [...new Set(parts.flatMap(({ taken }) => taken.refs))] }),
  };
}

/** The name itself; a taken name gets its location as a prefix: `header_id`. */
function keyFor({ name, place }: ApiParameter, taken: Set<string>): string {
  let key = taken.has(name) ? `${place}_${name}` : name;
  for (let count = 2; taken.has(key); count++) key = `${place}_${name}_${count}`;
  taken.add(key);
  return key;
}
