import { createHash } from "node:crypto";
import { isRecord, type OperationSpec, signatureOf } from "../../core/index.ts";

/** What was accepted about one operation: a digest of all that its source says, and what people read of it. */
export interface Pin {
  readonly digest: string;
  readonly description: string;
  readonly signature: string;
}

/**
 * Pins the definition of an operation: everything that its source decides and an agent, a client or a
 * policy acts on. What the operator decides (who may, whether it is external) is not among it.
 */
export function pinOf(spec: OperationSpec): Pin {
  const { visibility: _, access: __, ...said } = spec;
  const digest = createHash("sha256").update(canonical(said)).digest("hex");
  return { digest: `sha256:${digest}`, description: spec.description, signature: signatureOf(spec) };
}

/** JSON in which the order of keys does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const parts = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${parts.join()}}`;
}
