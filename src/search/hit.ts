import { type OperationSpec, type OperationType, signatureOf } from "../core/index.ts";

const MAX_DESCRIPTION = 200;

/** An operation in a list: enough to choose it, and mostly enough to call it. */
export interface Hit {
  readonly name: string;
  readonly type: OperationType;
  readonly description: string;
  readonly signature: string;
}

/** The JSON Schema of a hit. */
export const HIT_SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string" },
    type: { enum: ["query", "mutation", "subscription"] },
    description: { type: "string" },
    signature: { type: "string" },
  },
  required: ["name", "type", "description", "signature"],
} as const;

/** Shows a spec as a hit. */
export function toHit(spec: OperationSpec): Hit {
  const { name, type } = spec;
  return { name, type, description: shortDescription(spec), signature: signatureOf(spec) };
}

function shortDescription({ description, deprecated }: OperationSpec): string {
  const text = deprecated === undefined ? description : `Deprecated: use ${deprecated}. ${description}`;
  if (text.length <= MAX_DESCRIPTION) return text;
  const cut = text.slice(0, MAX_DESCRIPTION);
  const sentence = cut.lastIndexOf(". ");
  return sentence > MAX_DESCRIPTION / 3 ? cut.slice(0, sentence + 1) : `${cut.slice(0, -1)}…`;
}
