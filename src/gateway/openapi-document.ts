import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { parse } from "yaml";
import { ImportError, type LoadDocument } from "../adapters/from-openapi/index.ts";
import { filesNamedIn } from "../formats/index.ts";
import { type Outbound, OutboundError } from "../outbound/index.ts";

/** The longest text of a document; the largest public ones have some 40 MB. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 500;
const MAX_ALIASES = 10_000;
const TIMEOUT_MS = 60_000;

/** Where a document lies. */
export interface DocumentReference {
  /** A file, relative to the directory, or an address. */
  readonly reference: string;
  readonly directory: string;
  readonly outbound: Pick<Outbound, "send">;
}

/** Reads one text that belongs to a document, by its path relative to the document; empty for the document itself. */
type ReadText = (path: string, signal: AbortSignal) => Promise<string>;

/** How a document and the files beside it are found, wherever they lie. */
export function createDocumentLoader({ reference, directory, outbound }: DocumentReference): LoadDocument {
  const url = /^https?:\/\//i.test(reference) ? new URL(reference) : undefined;
  const read = url ? textsAt(url, outbound) : textsOn(resolve(directory, reference), directory);
  // Only a document that is all in one text can be told by this text.
  let standsAlone = false;
  return async (known, signal) => {
    const text = await read("", signal);
    const fingerprint = createHash("sha256").update(text).digest("hex");
    if (standsAlone && fingerprint === known) return undefined;
    const root = parseText(text, reference);
    const files = await filesBeside(root, read, signal);
    standsAlone = files.size === 0;
    return { root, files, fingerprint, ...(url && { url }) };
  };
}

/** Reads everything that a document refers to, and that those texts refer to. What cannot be read stays away. */
async function filesBeside(
  root: unknown,
  read: ReadText,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, unknown>> {
  const files = new Map<string, unknown>();
  const open = [...filesNamedIn(root, "")];
  const seen = new Set(open);
  let length = 0;
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const text = await read(path, signal).catch(() => undefined);
    if (text === undefined) continue;
    length += text.length;
    if (files.size >= MAX_FILES || length > MAX_DOCUMENT_BYTES)
      throw new ImportError(
        "SCHEMA_PARSE",
        `The document refers to more than ${MAX_FILES} files, or to too large ones.`,
      );
    const value = parseText(text, path);
    files.set(path, value);
    for (const next of filesNamedIn(value, path)) {
      if (next === "" || seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return files;
}

function parseText(text: string, shown: string): unknown {
  try {
    return /^\s*[{[]/.test(text) ? parseJson(text) : parseYaml(text);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    throw new ImportError(
      "SCHEMA_PARSE",
      `${shown} is neither JSON nor YAML: ${reason.slice(0, 200)}`,
      error,
    );
  }
}

/** Some YAML begins like JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text);
  }
}

function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: MAX_ALIASES, merge: true, logLevel: "error", uniqueKeys: false });
}

/** A document may lead to files beside it, not to any file that this process can read. */
function textsOn(file: string, directory: string): ReadText {
  const isInside = (path: string, folder: string) =>
    !/^\.\.(?:[\\/]|$)|^[\\/]|^\w:/.test(relative(folder, path));
  return async (path) => {
    const whole = path === "" ? file : resolve(dirname(file), path);
    const isAllowed = isInside(whole, dirname(file)) || isInside(whole, directory);
    if (path !== "" && !(isAllowed && /\.(?:json|ya?ml)$/i.test(whole)))
      throw new ImportError("SCHEMA_PARSE", `${path} does not lie beside the document.`);
    const bytes = await readFile(whole).catch((error: NodeJS.ErrnoException) => {
      const reason = error.code === "ENOENT" ? "there is no such file" : `it cannot be read (${error.code})`;
      throw new ImportError("TRANSPORT", `${whole}: ${reason}.`, error);
    });
    if (bytes.length <= MAX_DOCUMENT_BYTES) return bytes.toString("utf8");
    throw new ImportError("SCHEMA_PARSE", `${whole} is larger than ${MAX_DOCUMENT_BYTES} bytes.`);
  };
}

function textsAt(document: URL, outbound: Pick<Outbound, "send">): ReadText {
  return async (path, signal) => {
    const url = path === "" ? document : new URL(path, document);
    if (url.origin !== document.origin)
      throw new ImportError("SCHEMA_PARSE", `${path} does not lie beside the document.`);
    try {
      const { status, body } = await outbound.send({
        method: "GET",
        url,
        headers: { accept: "application/json, application/yaml, */*;q=0.5" },
        repeatable: true,
        signal,
        deadline: Date.now() + TIMEOUT_MS,
      });
      if (status === 200) return await body.text();
      await body.cancel();
      throw new ImportError(
        "TRANSPORT",
        `${url.origin}${url.pathname} answered ${status} instead of a document.`,
      );
    } catch (error) {
      if (error instanceof OutboundError) throw new ImportError("TRANSPORT", error.message, error);
      throw error;
    }
  };
}
