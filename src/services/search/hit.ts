import {
  type Caller,
  createView,
  OPERATION_TYPES,
  type OperationContext,
  type OperationSpec,
  type OperationType,
  type Registry,
  signatureOf,
  type View,
} from "../../core/index.ts";

/** An operation in a list: enough to choose it, and mostly enough to call it. */
export interface Hit {
  readonly name: string;
  readonly type: OperationType;
  /** Only where the type does not say so: the operation writes, and is not a mutation. */
  readonly mutates?: true;
  readonly description: string;
  readonly signature: string;
}

/** Maximum lengths of the texts of a hit, in characters. */
export interface HitSize {
  readonly description: number;
  readonly signature: number;
}

const USUAL_SIZE: HitSize = { description: 200, signature: 240 };

/** The types that a filter accepts; all types without a filter. */
export function typesOf(filter: unknown = OPERATION_TYPES): readonly OperationType[] {
  return OPERATION_TYPES.filter((each) => [filter].flat().includes(each));
}

/** Shows a spec as a hit. */
export function toHit(spec: OperationSpec, size: HitSize = USUAL_SIZE): Hit {
  const { name, type, mutates, description, deprecated } = spec;
  const text = deprecated === undefined ? description : `Deprecated: use ${deprecated}. ${description}`;
  return {
    name,
    type,
    ...(mutates && type !== "mutation" && { mutates: true as const }),
    description: cutAtSentence(text, size.description),
    signature: cut(signatureOf(spec), size.signature),
  };
}

/** The beginning of a text in one line: whole sentences where there are some, else whole words. */
export function cutAtSentence(text: string, most: number): string {
  const line = beginning(text, 2 * most + 200)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line.length <= most) return line;
  const start = beginning(line, most);
  const ends = [...`${start} `.matchAll(/[.!?](?= )|[。！？]/g)];
  const end = (ends.at(-1)?.index ?? -1) + 1;
  if (end > most / 3) return start.slice(0, end);
  const space = start.lastIndexOf(" ");
  return `${space > most / 2 ? start.slice(0, space) : beginning(line, most - 1)}…`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${beginning(text, most - 1)}…`;
}

/** The first units of a text, one fewer if that would split a character. */
function beginning(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

/** The view of a service's caller: nothing internal, even where an operation composes the service. */
export function viewOf(registry: Registry, context: OperationContext): View {
  return createView(registry.snapshot(), callerOf(context));
}

/** The caller of a service, as it looks at the registry. */
export function callerOf({ identity, connection, overlay, reach }: OperationContext): Caller {
  return { identity, connection, overlay, reach, internal: false };
}

/** A spec as callers see it: without its access rules. */
export function publicSpec({ access: _hidden, ...spec }: OperationSpec): Omit<OperationSpec, "access"> {
  return spec;
}
