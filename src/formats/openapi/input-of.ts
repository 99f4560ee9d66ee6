import { type JsonSchema, NO_INPUT } from "../../core/index.ts";
import type { ApiParameter } from "./model.ts";
import type { ReadBody } from "./read-body.ts";
import type { ReadParameter } from "./read-parameters.ts";
import type { SchemaPool, Taken } from "./schema-pool.ts";

const PLACES = ["path", "query", "header", "cookie"] as const;
/** The key of the body in an input. */
export const BODY_KEY = "body";

/** The flat input of an operation: each parameter under a key of its own, the body as `body`. */
export function inputOf(
  read: readonly ReadParameter[],
  body: ReadBody | undefined,
  pool: SchemaPool,
): { readonly parameters: readonly ApiParameter[]; readonly inputSchema: JsonSchema } {
  if (read.length === 0 && !body) return { parameters: [], inputSchema: NO_INPUT };
  const keys = new Set<string>(body ? [BODY_KEY] : []);
  const keyed = PLACES.flatMap((place) => read.filter(({ parameter }) => parameter.place === place)).map(
    ({ parameter, taken }) => {
      const { required } = parameter;
      const key = keyFor(parameter, keys);
      // Most keys are the names, and then one record serves all operations.
      return { key, required, taken, parameter: key === parameter.key ? parameter : { ...parameter, key } };
    },
  );
  const parts: readonly { key: string; required: boolean; taken: Taken }[] = body
    ? [...keyed, { key: BODY_KEY, required: body.required, taken: body.taken }]
    : keyed;
  const required = parts.filter((part) => part.required).map(({ key }) => key);
  const schema = {
    type: "object",
    properties: Object.fromEntries(parts.map(({ key, taken }) => [key, taken.schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return {
    parameters: keyed.map(({ parameter }) => parameter),
    inputSchema: pool.whole({ schema, refs: [...new Set(parts.flatMap(({ taken }) => taken.refs))] }),
  };
}

/** The name itself; a taken name gets its location as a prefix: `header_id`. */
function keyFor({ name, place }: ApiParameter, taken: Set<string>): string {
  let key = taken.has(name) ? `${place}_${name}` : name;
  for (let count = 2; taken.has(key); count++) key = `${place}_${name}_${count}`;
  taken.add(key);
  return key;
}
