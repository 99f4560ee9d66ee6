import { createHash } from "node:crypto";
import {
  isRecord,
  type Registration,
  type Source,
  signatureOf,
  type UnknownRecord,
} from "../../core/index.ts";

/** What was accepted about one operation: a digest of all that its source says, and what people read of it. */
export interface Pin {
  readonly digest: string;
  readonly description: string;
  readonly signature: string;
  /** Short digests of all other parts, by which one sees which of them has changed. */
  readonly parts?: Readonly<Record<string, string>>;
}

/** What is pinned of an operation. */
export type Definition = Pick<Registration, "spec" | "target">;

/** Enough to tell two parts apart; what decides is the digest of the whole. */
const SHORT = 16;

/**
 * The digest of the definition of an operation: everything that its source decides and an agent, a client or a
 * policy acts on, and where its calls go. What the operator decides (who may, whether it is external) is not among it.
 */
export function digestOf(definition: Definition): string {
  return `sha256:${hash(saidBy(definition))}`;
}

/** Pins the definition of an operation. */
export function pinOf(definition: Definition): Pin {
  const { spec } = definition;
  const parts = Object.entries(partsOf(definition)).map(([key, part]) => [key, hash(part).slice(0, SHORT)]);
  return {
    digest: digestOf(definition),
    description: spec.description,
    signature: signatureOf(spec),
    parts: Object.fromEntries(parts),
  };
}

/** Pins what a source says of itself, which agents read before they look for anything; undefined where it says nothing. */
export function pinOfSource({ title = "", description = "" }: Source): Pin | undefined {
  if (title === "" && description === "") return undefined;
  return { digest: `sha256:${hash({ title, description })}`, description, signature: title };
}

/** Every value in those parts of a definition that differ from what was accepted, each with its place; all of them where nothing was. */
export function textsOf(definition: Definition, { parts = {} }: Partial<Pin> = {}): readonly string[] {
  const now = partsOf(definition);
  const gone = Object.keys(parts).filter((key) => !Object.hasOwn(now, key));
  const changed = Object.entries(now).filter(([key, part]) => parts[key] !== hash(part).slice(0, SHORT));
  return [...gone.map((key) => `${key}: nothing`), ...changed.flatMap(([key, part]) => leavesOf(part, key))];
}

function saidBy({ spec, target }: Definition): UnknownRecord {
  const { visibility: _, access: __, ...said } = spec;
  return { ...said, target };
}

/** All but what a pin has in full, or has by the name under which it stands. */
function partsOf(definition: Definition): UnknownRecord {
  const { name: _, namespace: __, description: ___, ...parts } = saidBy(definition);
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}

function leavesOf(value: unknown, at: string): readonly string[] {
  const inner = Array.isArray(value) || isRecord(value) ? Object.entries(value) : [];
  if (inner.length === 0) return [`${at}: ${JSON.stringify(value)}`];
  return inner.flatMap(([key, each]) => leavesOf(each, `${at}/${key}`));
}

function hash(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
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
