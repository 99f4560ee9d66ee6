import { isRecord, type Steps } from "../../core/index.ts";
import type { Reading } from "./reading.ts";
import { ANYTHING, type Taken } from "./schema-pool.ts";

/** The schemas of a media type: `schema` is about the whole body, `itemSchema` (OpenAPI 3.2) about one event. */
export interface DescribedMedia {
  readonly mediaType: string;
  readonly schema: unknown;
  readonly itemSchema?: unknown;
}

/** A schema and the file that has it. */
interface Part {
  readonly part: unknown;
  readonly file: string;
}

/** Maximum number of kinds of events, and of unions of them. */
const MAX_KINDS = 200;

/** The schemas that the data of a stream's events may have; anything where the document does not tell. */
export function* readItems(
  { schema, itemSchema }: DescribedMedia,
  file: string,
  reading: Reading,
): Steps<readonly Taken[]> {
  const whole = reading.references.follow(schema, file);
  // Before 3.2 documents describe one item or, as a list, the whole stream.
  const item =
    itemSchema === undefined && whole?.value.type === "array"
      ? { part: whole.value.items, file: whole.file }
      : { part: itemSchema ?? schema, file };
  const parts = dataOfEvents(item, reading, itemSchema !== undefined) ?? [item];
  if (parts.some((each) => isText(each, reading))) return [ANYTHING];
  const taken: Taken[] = [];
  for (const each of parts) taken.push(yield* reading.answers.take(each.part, each.file));
  return taken;
}

/** The data of the events that a schema describes, for each kind of event; undefined if it does not describe events. */
function dataOfEvents(item: Part, { references }: Reading, isItem: boolean): readonly Part[] | undefined {
  const data: Part[] = [];
  const open: Part[] = [item];
  for (const { part, file } of open) {
    const found = references.follow(part, file);
    if (!found || open.length > MAX_KINDS) return undefined;
    const { oneOf, anyOf = oneOf, properties } = found.value;
    if (Array.isArray(anyOf)) {
      open.push(...anyOf.slice(0, MAX_KINDS + 1).map((kind) => ({ part: kind, file: found.file })));
      continue;
    }
    const isEvent =
      isRecord(properties) && properties.data !== undefined && (isItem || "event" in properties);
    if (!isEvent) return undefined;
    const inner = references.follow(properties.data, found.file);
    const { contentSchema } = inner?.value ?? {};
    data.push(
      inner && contentSchema !== undefined
        ? { part: contentSchema, file: inner.file }
        : { part: properties.data, file: found.file },
    );
  }
  return data;
}

/** Text says nothing: the data of an event is text, whatever it holds, and JSON in it is read. */
function isText({ part, file }: Part, { references }: Reading): boolean {
  return references.follow(part, file)?.value.type === "string";
}
