import { isRecord, type JsonSchema, measureJson, type Steps, type UnknownRecord } from "../../core/index.ts";
import { mediaKindOf } from "./media-type.ts";
import type { ApiError } from "./model.ts";
import type { Reading } from "./reading.ts";
import type { Located } from "./references.ts";
import type { Taken } from "./schema-pool.ts";

/** An error whose schema may refer to schemas that are not imported yet. */
export interface ReadError {
  readonly status: ApiError["status"];
  readonly description: string;
  readonly body: Taken | undefined;
}

const MAX_DESCRIPTION = 300;
/** Limit for the schema of an error: some refer to half of the document, which costs a reader more than it tells. */
const MAX_BODY_BYTES = 4_096;

/** The error that a response describes. */
export function* readError(
  status: ApiError["status"],
  { value, file }: Located,
  reading: Reading,
): Steps<ReadError> {
  const text = typeof value.description === "string" ? value.description.trim() : "";
  const [line = ""] = text.split("\n", 1);
  const otherwise = typeof status === "string" ? "" : `The service answers ${status}.`;
  const schema = bodyOf(value);
  return {
    status,
    description: (line === "" ? otherwise : line).slice(0, MAX_DESCRIPTION),
    body: isRecord(schema) && schema.type !== "file" ? yield* reading.answers.take(schema, file) : undefined,
  };
}

/** The error, shared by all operations that fail in the same way. */
export function* toError(
  { status, description, body }: ReadError,
  { errors, answers }: Reading,
): Steps<ApiError> {
  // Before it is written out or looked further into: several hundred statuses may share one vast body.
  const told = body && isWorthTelling(body.schema) ? body : undefined;
  const key = `${status} ${description} ${JSON.stringify(told?.schema)}`;
  const known = errors.get(key);
  if (known) return known;
  const whole = told && (yield* answers.whole(told));
  const error = Object.freeze({ status, description, ...(isWorthTelling(whole) && { body: whole }) });
  errors.set(key, error);
  return error;
}

function isWorthTelling(schema: JsonSchema | undefined): schema is JsonSchema {
  return isRecord(schema) && Object.keys(schema).length > 0 && !measureJson(schema, MAX_BODY_BYTES).over;
}

/** In Swagger 2 the schema is in the response itself. */
function bodyOf({ content, schema }: UnknownRecord): unknown {
  if (!isRecord(content)) return schema;
  const [, media] = Object.entries(content).find(([type]) => mediaKindOf(type) === "json") ?? [];
  return isRecord(media) ? media.schema : undefined;
}
