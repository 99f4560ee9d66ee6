import { readFile, realpath } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { ImportError, inSlices } from "../../core/index.ts";
import { filesNamedIn } from "../../formats/index.ts";
import { type Outbound, OutboundError } from "../../outbound/index.ts";
import type { OpenapiConfig } from "./config.ts";
import { type LoadDocument, MAX_DOCUMENT_BYTES } from "./options.ts";
import { parseDocument } from "./parse-document.ts";

const MAX_FILES = 500;
const TIMEOUT_MS = 60_000;

interface DocumentReference {
  /** A file, relative to the directory, or an address. */
  readonly reference: string;
  readonly directory: string;
  readonly outbound: Pick<Outbound, "send">;
  /** Sent to the address of the document, and to no other origin. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reads one text of a document by its path relative to the document; the empty path is the document itself. */
type ReadText = (path: string, signal: AbortSignal) => Promise<string>;

/** Loads a document and the files next to it, from disk or from the network. */
export function createDocumentLoader({
  reference,
  directory,
  outbound,
  headers = {},
}: DocumentReference): LoadDocument {
  const url = /^https?:\/\//i.test(reference) ? new URL(reference) : undefined;
  const read = url ? textsAt(url, { outbound, headers }) : textsOn(resolve(directory, reference));
  // A fingerprint of one text suffices only if the document refers to no other; a missing file may appear later.
  let standsAlone = false;
  return async (known, signal) => {
    const text = await read("", signal);
    const fingerprint = await fingerprintOf(text);
    if (standsAlone && fingerprint === known) return undefined;
    const root = await parseDocument(text, reference, signal);
    const named = await inSlices(filesNamedIn(root, ""), signal);
    const files = await filesBeside(named, read, signal);
    standsAlone = named.size === 0;
    return { root, files, fingerprint, ...(url && { url }) };
  };
}

/**
 * Reads every file that a document refers to, directly or through others. A file that cannot be read is skipped: it may be
 * an unused example, and any use of it is reported with the other broken references.
 */
async function filesBeside(
  named: ReadonlySet<string>,
  read: ReadText,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, unknown>> {
  const files = new Map<string, unknown>();
  const open = [...named];
  const seen = new Set(open);
  let length = 0;
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const text = await read(path, signal).catch(unlessAborted(signal));
    if (text === undefined) continue;
    length += text.length;
    if (files.size >= MAX_FILES || length > MAX_DOCUMENT_BYTES)
      throw new ImportError(
        "SCHEMA_PARSE",
        `The document refers to more than ${MAX_FILES} files, or to too large ones.`,
      );
    const value = await parseDocument(text, path, signal).catch(unlessAborted(signal));
    if (value === undefined) continue;
    files.set(path, value);
    for (const next of await inSlices(filesNamedIn(value, path), signal)) {
      if (next === "" || seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return files;
}

function unlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (signal.aborted) throw error;
    return undefined;
  };
}

/** Off this thread: the longest texts would block it. */
async function fingerprintOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(digest).toString("hex");
}

/**
 * A document may refer to files in its own folder and below, links resolved: not to folders that begin with a dot, such as
 * logins, and not to the configuration of a gateway.
 */
function textsOn(file: string): ReadText {
  const isInside = (path: string, folder: string) => {
    const inner = relative(folder, path);
    return !/^[\\/]|^\w:|(?:^|[\\/])\./.test(inner) && !/(?:^|[\\/])pinhole\.\w+$/i.test(inner);
  };
  async function isBeside(path: string): Promise<boolean> {
    if (!isInside(path, dirname(file)) || !/\.(?:json|ya?ml)$/i.test(path)) return false;
    const real = await realpath(path).catch(() => path);
    const folders = [realpath(dirname(file)), realpath(file).then(dirname)];
    return (await Promise.all(folders)).some((folder) => isInside(real, folder));
  }
  return async (path) => {
    const whole = path === "" ? file : resolve(dirname(file), decoded(path));
    if (path !== "" && !(await isBeside(whole)))
      throw new ImportError("SCHEMA_PARSE", `${path} is not next to the document.`);
    const bytes = await readFile(whole).catch((error: NodeJS.ErrnoException) => {
      const reason = error.code === "ENOENT" ? "there is no such file" : `it cannot be read (${error.code})`;
      throw new ImportError("TRANSPORT", `${whole}: ${reason}.`, error);
    });
    if (bytes.length <= MAX_DOCUMENT_BYTES) return bytes.toString("utf8");
    throw new ImportError("SCHEMA_PARSE", `${whole} is larger than ${MAX_DOCUMENT_BYTES} bytes.`);
  };
}

/** References are URLs, even to files. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function textsAt(
  document: URL,
  { outbound, headers }: Required<Pick<DocumentReference, "outbound" | "headers">>,
): ReadText {
  return async (path, signal) => {
    const url = path === "" ? document : new URL(path, document);
    if (url.origin !== document.origin)
      throw new ImportError("SCHEMA_PARSE", `${path} is not next to the document.`);
    try {
      const { status, body } = await outbound.send({
        method: "GET",
        url,
        headers: { accept: "application/json, application/yaml, */*;q=0.5", ...headers },
        repeatable: true,
        signal,
        deadline: performance.now() + TIMEOUT_MS,
      });
      if (status === 200) return await body.text();
      await body.cancel();
      const advice =
        status === 401 || status === 403
          ? " If it wants the credentials of this source, set documentAuth; if it has them, check them."
          : "";
      throw new ImportError(
        "TRANSPORT",
        `${url.origin}${url.pathname} answered ${status} instead of a document.${advice}`,
      );
    } catch (error) {
      if (error instanceof OutboundError) throw new ImportError("TRANSPORT", error.message, error);
      throw error;
    }
  };
}

/**
 * Headers of the request for a source's document. None unless the config says so: the document may be on a host that must
 * not get the credentials of the API, and its security schemes are not known yet.
 */
export function documentHeadersOf(
  { documentAuth, headers }: Pick<OpenapiConfig, "documentAuth" | "headers">,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (documentAuth === false) return {};
  const { token, username, password = "", apiKey } = secrets;
  const lowered = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (typeof documentAuth === "string") {
    return apiKey === undefined ? lowered : { ...lowered, [documentAuth.toLowerCase()]: apiKey };
  }
  if (token !== undefined) return { ...lowered, authorization: `Bearer ${token}` };
  if (username === undefined) return lowered;
  const pair = Buffer.from(`${username}:${password}`).toString("base64");
  return { ...lowered, authorization: `Basic ${pair}` };
}
