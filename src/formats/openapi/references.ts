import type { Steps } from "../../core/index.ts";
import { atFragment, isRecord, type UnknownRecord } from "../../core/index.ts";
import { type Place, placeOf } from "./file-path.ts";

const MAX_STEPS = 32;
/** How many values are looked at in one step. */
const STEP = 5_000;

/** A value together with the file that it stands in, which its own references start from. */
export interface Located {
  readonly value: UnknownRecord;
  readonly file: string;
}

/** A document and the files beside it that it refers to, by their paths relative to it. */
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

  /** The value at a place, undefined where there is none. */
  at({ file, fragment }: Place): unknown {
    const { root, files } = this.#documents;
    const document = file === "" ? root : files?.get(file);
    return fragment === "" ? document : atFragment(document, `#${fragment}`);
  }

  /** The object that a value is, or refers to in some steps; undefined where that leads nowhere. */
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

/** The files beside a document that it refers to, from one file of it. */
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
