import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Shorter texts are words that stand in sentences too; tests use longer secrets where they can be found. */
const SHORTEST_SECRET = 12;
const CHUNK = 4_194_304;

/** What a run of all tests must keep to itself, and everything that its gateways gave away. */
export interface Transcript {
  /** Notes a secret that is in use. */
  secret(text: string): void;
  /** Notes something that left a gateway: a line of a log, an answer, a line of an audit. */
  gaveAway(text: string): void;
  /** How many secrets and how many characters were noted, and what was found of the first in the second. */
  scan(): Scan;
}

/** The outcome of a scan. */
export interface Scan {
  readonly secrets: number;
  readonly bytes: number;
  /** The surroundings of each secret that was found, the secret itself left out. */
  readonly found: readonly string[];
}

/** Keeps a transcript in a file, since a run gives away more than fits into memory well. */
export function createTranscript(): Transcript {
  const folder = mkdtempSync(join(tmpdir(), "pinhole-transcript-"));
  const path = join(folder, "transcript");
  const file = openSync(path, "w+", 0o600);
  const secrets = new Set<string>();
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  let bytes = 0;

  return {
    secret(text) {
      if (text.length >= SHORTEST_SECRET) secrets.add(text);
    },
    gaveAway(text) {
      bytes += writeSync(file, `${text}\n`);
    },
    scan() {
      const found: string[] = [];
      const buffer = Buffer.alloc(CHUNK);
      const longest = Math.max(0, ...[...secrets].map((secret) => secret.length));
      let rest = "";
      for (let at = 0, read = 1; read > 0; at += read) {
        read = readSync(file, buffer, 0, CHUNK, at);
        const text = rest + buffer.toString("latin1", 0, read);
        found.push(...findIn(text, secrets));
        // What a border between two chunks cuts in two is whole in the next one.
        rest = text.slice(-longest);
      }
      closeSync(file);
      return { secrets: secrets.size, bytes, found };
    },
  };
}

function findIn(text: string, secrets: ReadonlySet<string>): readonly string[] {
  return [...secrets].flatMap((secret) => {
    const at = text.indexOf(Buffer.from(secret).toString("latin1"));
    if (at < 0) return [];
    const around = text.slice(Math.max(0, at - 300), at + secret.length + 100);
    return [around.replaceAll(secret, `[a secret of ${secret.length} characters]`)];
  });
}

/** The transcript of this run. */
export const transcript: Transcript = createTranscript();
