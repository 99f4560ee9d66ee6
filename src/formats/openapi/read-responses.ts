import {
  CONTENT_OUTPUT,
  isRecord,
  type JsonSchema,
  measureJson,
  type OperationType,
  type Steps,
  type UnknownRecord,
} from "../../core/index.ts";
import { mediaKindOf } from "./media-type.ts";
import type { ApiError } from "./model.ts";
import { type DescribedMedia, readItems } from "./read-items.ts";
import type { Reading } from "./reading.ts";
import type { Located } from "./references.ts";
import type { Taken } from "./schema-pool.ts";

/** The output of an operation. */
interface ReadResponses {
  readonly output: Taken;
  readonly streams: boolean;
  readonly accept: string;
  /** The event stream of an operation that can also answer at once: its Accept header and the data of its events. */
  readonly events: { readonly accept: string; readonly items: Taken } | undefined;
  readonly errors: readonly ReadError[];
}

const TEXT: JsonSchema = Object.freeze({ type: "string" });
const NOTHING: JsonSchema = Object.freeze({ type: "null" });
const MAX_ALTERNATIVES = 4;
/** Statuses whose responses have no body (RFC 9110, sections 15.3.5 and 15.3.6). */
const WITHOUT_BODY: readonly string[] = ["204", "205"];

interface Success {
  readonly mediaTypes: readonly string[];
  readonly output: Taken;
  readonly streams: boolean;
  /** The media types of events, and the schemas of their data. */
  readonly events: readonly string[];
  readonly items: readonly Taken[];
}

/** Reads the responses of an operation; `produces` are the media types of Swagger 2. */
export function* readResponses(
  { value, file }: { readonly value: unknown; readonly file: string },
  { produces, reading }: { readonly produces: unknown; readonly reading: Reading },
): Steps<ReadResponses> {
  const responses = isRecord(value) ? Object.entries(value) : [];
  const located = responses.flatMap(([status, response]) => {
    const found = status.startsWith("x-") ? undefined : reading.references.follow(response, file);
    return found ? [{ status, ...found }] : [];
  });
  const good = located.filter(({ status }) => /^2/.test(status));
  const success = good.length > 0 ? good : located.filter(({ status }) => status === "default");
  const read: Success[] = [];
  for (const each of success) {
    if (WITHOUT_BODY.includes(each.status)) {
      read.push(atOnce([], plain(NOTHING)));
      continue;
    }
    read.push(
      produces === undefined
        ? yield* reading.once("response", each.value, () => readSuccess(each.value, each.file, reading))
        : yield* readSwaggerSuccess(each.value, each.file, { produces, reading }),
    );
  }
  const errors: ReadError[] = [];
  for (const each of located) {
    const status = failureOf(each.status, good.length > 0);
    if (status === undefined) continue;
    const error = yield* readError(status, each, reading);
    if (error.description !== "" || error.body) errors.push(error);
  }
  // An answer that can also come at once is asked for at once.
  const streams =
    read.some((each) => each.streams) &&
    !read.some(({ mediaTypes, streams }) => !streams && mediaTypes.length > 0);
  const kept = read.filter((each) => each.streams === streams);
  const events = streams ? [] : read.flatMap((each) => each.events);
  return {
    streams,
    output: kept.length === 0 ? { schema: true, refs: [] } : oneOf(kept.flatMap(outputsOf)),
    accept: acceptOf(kept.flatMap(({ mediaTypes }) => mediaTypes)),
    events:
      events.length > 0
        ? { accept: acceptOf(events), items: oneOf(read.flatMap(({ items }) => items)) }
        : undefined,
    errors,
  };
}

function outputsOf({ streams, output, items }: Success): readonly Taken[] {
  return streams ? items : [output];
}

/** The output of a method without a response body (RFC 9110, section 9.3.2). */
export function withoutBody(responses: ReadResponses): ReadResponses {
  return { ...responses, streams: false, events: undefined, output: plain(NOTHING) };
}

/** The error status of a response key; undefined for a success, which may be `default`. */
function failureOf(status: string, hasSuccess: boolean): ReadError["status"] | undefined {
  if (status === "default") return hasSuccess ? "other" : undefined;
  if (/^[345]\d\d$/.test(status)) return Number(status);
  const [range] = /^[345]XX$/i.exec(status) ?? [];
  return range?.toUpperCase() as ReadError["status"] | undefined;
}

/** The type of an operation: query, mutation or subscription. */
export function typeOf(method: string, { streams }: Pick<ReadResponses, "streams">): OperationType {
  if (streams) return "subscription";
  return ["GET", "HEAD", "QUERY"].includes(method) ? "query" : "mutation";
}

function* readSuccess(value: UnknownRecord, file: string, reading: Reading): Steps<Success> {
  const content = isRecord(value.content) ? Object.entries(value.content) : [];
  // Many documents do not describe their answers: they say nothing, not that there is nothing.
  if (content.length === 0) return atOnce([], plain(true));
  return yield* ofMedia(
    content.map(([mediaType, media]) => ({
      mediaType,
      ...(isRecord(media) ? { schema: media.schema, itemSchema: media.itemSchema } : { schema: undefined }),
    })),
    file,
    reading,
  );
}

function* readSwaggerSuccess(
  { schema }: UnknownRecord,
  file: string,
  { produces, reading }: { readonly produces: unknown; readonly reading: Reading },
): Steps<Success> {
  const types = Array.isArray(produces) ? produces.filter((type) => typeof type === "string") : [];
  const streams = types.length > 0 && types.every((type) => mediaKindOf(type) === "events");
  if (schema === undefined && !streams) return atOnce(types, plain(true));
  const mediaTypes = types.length > 0 ? types : ["application/json"];
  if (isRecord(schema) && schema.type === "file") return atOnce(mediaTypes, plain(CONTENT_OUTPUT));
  return yield* ofMedia(
    mediaTypes.map((mediaType) => ({ mediaType, schema })),
    file,
    reading,
  );
}

function* ofMedia(media: readonly DescribedMedia[], file: string, reading: Reading): Steps<Success> {
  const of = (kind: string) => media.filter(({ mediaType }) => mediaKindOf(mediaType) === kind);
  const [json, events, text] = [of("json"), of("events"), of("text")];
  const mediaTypes = (chosen: typeof media) => chosen.map(({ mediaType }) => mediaType);
  const streamed = {
    events: mediaTypes(events),
    items: events[0] ? yield* readItems(events[0], file, reading) : [],
  };
  if (json.length > 0) {
    const output = yield* reading.answers.take(json[0]?.schema ?? json[0]?.itemSchema, file);
    return { ...atOnce(mediaTypes(json), output), ...streamed };
  }
  if (events.length > 0)
    return { mediaTypes: streamed.events, streams: true, output: plain(true), ...streamed };
  if (text.length > 0) return atOnce(mediaTypes(text), plain(TEXT));
  return atOnce(mediaTypes(media), plain(CONTENT_OUTPUT));
}

function atOnce(mediaTypes: readonly string[], output: Taken): Success {
  return { mediaTypes, streams: false, output, events: [], items: [] };
}

function plain(schema: JsonSchema): Taken {
  return { schema, refs: [] };
}

function oneOf(taken: readonly Taken[]): Taken {
  const distinct = [...new Map(taken.map((each) => [each.schema, each])).values()];
  const [first] = distinct;
  if (first && distinct.length === 1) return first;
  if (distinct.length > MAX_ALTERNATIVES || distinct.some(({ schema }) => schema === true))
    return plain(true);
  return {
    schema: { anyOf: distinct.map(({ schema }) => schema) },
    refs: [...new Set(distinct.flatMap(({ refs }) => refs))],
  };
}

function acceptOf(mediaTypes: readonly string[]): string {
  const distinct = [...new Set(mediaTypes.filter((type) => /^[\w.+*-]+\/[\w.+*-]+/.test(type)))];
  return distinct.length === 0 ? "application/json, */*;q=0.5" : distinct.slice(0, 5).join(", ");
}

/** An error whose schema may refer to schemas that are not imported yet. */
interface ReadError {
  readonly status: ApiError["status"];
  readonly description: string;
  readonly body: Taken | undefined;
}

const MAX_DESCRIPTION = 300;
/** Limit for the schema of an error: some refer to half of the document, which costs a reader more than it tells. */
const MAX_BODY_BYTES = 4_096;

/** The error that a response describes. */
function* readError(
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
