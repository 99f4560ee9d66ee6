import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, writeFileAtomically } from "../../config/index.ts";
import {
  isRecord,
  messageOf,
  type Registration,
  type Source,
  signatureOf,
  type UnknownRecord,
} from "../../core/index.ts";

/** The name of the file, which is beside the configuration. */
const LOCK_FILE = "pinhole.lock";

/** Version 1 did not pin where the credentials and parameters of an API go. */
const VERSIONS: readonly unknown[] = [1, 2];
const VERSION = 2;

/** An accepted definition of an operation: a digest of all that its source says, and the parts that people read. */
export interface Pin {
  readonly digest: string;
  readonly description: string;
  readonly signature: string;
  /** Short digests of all other parts, which show what has changed. */
  readonly parts?: Readonly<Record<string, string>>;
}

/** The pinned part of an operation. */
type Definition = Pick<Registration, "spec" | "target">;

/** All pins, by source and by the name of the operation. */
export type Pins = ReadonlyMap<string, ReadonlyMap<string, Pin>>;

/** Enough to tell two parts apart; the digest of the whole decides. */
const SHORT = 16;

/**
 * The digest of the definition of an operation: everything that its source decides and an agent, a client or a
 * policy acts on, and where its calls go. The operator's decisions (access, visibility) are not part of it.
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

/** Pins the title and description of a source, which agents read before anything else; undefined where it has none. */
export function pinOfSource({ title = "", description = "" }: Source): Pin | undefined {
  if (title === "" && description === "") return undefined;
  return { digest: `sha256:${hash({ title, description })}`, description, signature: title };
}

/** Every value in the parts of a definition that differ from the accepted one, each with its place; all of them if none was accepted. */
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

/** All parts except those that a pin has in full, or as its name. */
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

/** The path of the lock of a configuration. */
export function lockPath(directory: string): string {
  return join(directory, LOCK_FILE);
}

/** Reads a lock; undefined if there is none. A lock that cannot be read is refused, so that it accepts nothing by mistake. */
export function readLock(path: string, onOlder: (why: string) => void = () => {}): Pins | undefined {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (!(error instanceof SyntaxError)) throw unreadable(path, messageOf(error));
  }
  if (!isRecord(found) || !VERSIONS.includes(found.version) || !isRecord(found.sources)) {
    throw unreadable(path, `it is not a lock of version ${VERSION}`);
  }
  if (found.version !== VERSION)
    onOlder(
      `${path} was written by an earlier version, which did not pin where credentials and parameters go: operations of APIs must be accepted again. Run pinhole lock to review them.`,
    );
  const sources = Object.entries(found.sources).map(([name, pins]) => {
    const entries = isRecord(pins) ? Object.entries(pins) : [];
    if (!isRecord(pins) || !entries.every(([, pin]) => isPin(pin)))
      throw unreadable(path, `what it says of ${name} is damaged`);
    return [name, new Map(entries as [string, Pin][])] as const;
  });
  return new Map(sources);
}

/** Writes a lock, sorted, so that a reviewer sees a change as a few lines. */
export function writeLock(path: string, pins: Pins): Promise<void> {
  const sources = sorted(pins).map(([name, of]) => [name, Object.fromEntries(sorted(of))]);
  const text = JSON.stringify({ version: VERSION, sources: Object.fromEntries(sources) }, undefined, 2);
  return writeFileAtomically(path, `${text}\n`);
}

function sorted<Value>(entries: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  return [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
}

function isPin(pin: unknown): pin is Pin {
  return (
    isRecord(pin) &&
    typeof pin.digest === "string" &&
    typeof pin.description === "string" &&
    typeof pin.signature === "string" &&
    (pin.parts === undefined || isRecord(pin.parts))
  );
}

function unreadable(path: string, reason: string): ConfigError {
  return new ConfigError(
    `${path} cannot be used: ${reason}. Restore it from version control, or delete it and run \`pinhole lock\` to review everything again.`,
  );
}
