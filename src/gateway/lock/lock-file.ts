import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, writeFileAtomically } from "../../config/index.ts";
import { isRecord, messageOf } from "../../core/index.ts";
import type { Pin } from "./pin.ts";

/** The name of the file, which stands beside the configuration. */
export const LOCK_FILE = "pinhole.lock";

/** Version 1 did not pin where the credentials and parameters of an API go. */
const VERSIONS: readonly unknown[] = [1, 2];
const VERSION = 2;

/** What was accepted, by source and by the name of the operation. */
export type Pins = ReadonlyMap<string, ReadonlyMap<string, Pin>>;

/** Where the lock of a configuration stands. */
export function lockPath(directory: string): string {
  return join(directory, LOCK_FILE);
}

/** Reads a lock; undefined where there is none. One that cannot be understood accepts nothing by mistake: it is refused. */
export function readLock(path: string, onOlder: (why: string) => void = () => {}): Pins | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadable(path, messageOf(error));
  }
  const found = parse(text);
  if (!isRecord(found) || !VERSIONS.includes(found.version) || !isRecord(found.sources)) {
    throw unreadable(path, `it is no lock of version ${VERSION}`);
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

/** Writes a lock, sorted, so that a change shows as a few lines to whoever reviews it. */
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(path: string, reason: string): ConfigError {
  return new ConfigError(
    `${path} cannot be used: ${reason}. Restore it from version control, or delete it and run \`pinhole lock\` to review everything again.`,
  );
}
