import { atFragment, isRecord, type Steps, type UnknownRecord } from "../../core/index.ts";

const MAX_STEPS = 32;
/** Number of values visited in one step. */
const STEP = 5_000;

/** A value and its file, to which its references are relative. */
export interface Located {
  readonly value: UnknownRecord;
  readonly file: string;
}

/** A document and its referenced files, by their relative paths. */
export interface DocumentFiles {
  readonly root: unknown;
  readonly files?: ReadonlyMap<string, unknown>;
}

/** Follows references within a document and its files. Nothing is ever fetched. */
export class References {
  readonly #documents: DocumentFiles;

  constructor(documents: DocumentFiles) {
    this.#documents = documents;
  }

  /** The value at a location; undefined if it is missing. */
  at({ file, fragment }: Place): unknown {
    const { root, files } = this.#documents;
    const document = file === "" ? root : files?.get(file);
    return fragment === "" ? document : atFragment(document, `#${fragment}`);
  }

  /** The object that a value is or refers to; undefined if the reference is broken. */
  follow(value: unknown, from: string): Located | undefined {
    let current = value;
    let file = from;
    for (let step = 0; step < MAX_STEPS; step++) {
      if (!isRecord(current)) return undefined;
      if (typeof current.$ref !== "string") return { value: current, file };
      const place = placeOf(current.$ref, file);
      if (!place) return undefined;
      current = this.at(place);
      file = place.file;
    }
    return undefined;
  }
}

/** The files to which one file of a document refers. */
export function* filesNamedIn(document: unknown, file: string): Steps<ReadonlySet<string>> {
  const found = new Set<string>();
  const visited = new Set<object>();
  const open: unknown[] = [document];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null || visited.has(value)) continue;
    visited.add(value);
    if (visited.size % STEP === 0) yield;
    if (isRecord(value) && typeof value.$ref === "string") {
      const place = placeOf(value.$ref, file);
      if (place && place.file !== file) found.add(place.file);
    }
    for (const part of Object.values(value)) if (typeof part === "object" && part !== null) open.push(part);
  }
  return found;
}

/** Target of a reference: a file of the document (empty for the main one) and a JSON pointer into it. */
interface Place {
  readonly file: string;
  readonly fragment: string;
}

/** Resolves a reference relative to its file; undefined for another host. */
export function placeOf(reference: string, from: string): Place | undefined {
  const hash = reference.indexOf("#");
  const address = hash === -1 ? reference : reference.slice(0, hash);
  const fragment = hash === -1 ? "" : reference.slice(hash + 1);
  if (address === "") return { file: from, fragment };
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|^\/|\\/i.test(address)) return undefined;
  return { file: joinPath(from, address), fragment };
}

function joinPath(from: string, relative: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of relative.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}
