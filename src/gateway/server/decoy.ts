import { constants, realpathSync, statSync } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { basename, extname, join, relative, resolve, sep } from "node:path";
import { ConfigError, type LoadedConfig } from "../../config/index.ts";

/** Answers a request as if there were no gateway here. A path that can be read in several ways is not given. */
export type Decoy = (
  request: { readonly method: string; readonly path?: string },
  ifNoneMatch?: string | null,
) => Promise<Response>;

/** Size of the largest file of a site. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Follows no link that has come since the path was resolved, and waits for no pipe. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".gif": "image/gif",
  ".htm": "text/html; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".xml": "application/xml",
};

/** The answer of a decoy to a request. */
export function decoyTo({ method, url, headers }: Request, decoy: Decoy): Promise<Response> {
  return decoy({ method, path: new URL(url).pathname }, headers.get("if-none-match"));
}

/** The decoy that a config asks for; undefined where unknown addresses answer as those of a gateway. */
export function createDecoy({
  config,
  directory,
  file,
}: Pick<LoadedConfig, "config" | "directory" | "file">): Decoy | undefined {
  const wanted: unknown = config.server.decoy;
  if (wanted === undefined) return undefined;
  if (typeof wanted === "string") return async () => missing();
  const { redirect, site } = wanted as { readonly redirect?: string; readonly site?: string };
  if (redirect !== undefined)
    return async () => new Response(null, { status: 302, headers: { location: redirect } });
  const folder = resolve(directory, site ?? "");
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`server.decoy.site: there is no folder ${folder}. Make it, or name another.`);
  return createSite(realpathSync(folder), file);
}

/** Serves the files of a folder, and nothing that a link in it leads to elsewhere. */
function createSite(root: string, configFile: string | undefined): Decoy {
  return async ({ method, path }, ifNoneMatch) => {
    if (method !== "GET" && method !== "HEAD")
      return plain(405, "Method Not Allowed", { allow: "GET, HEAD" });
    const found = path === undefined ? undefined : await fileAt(path);
    if (!found) return missing();
    if ("folder" in found)
      return new Response(null, { status: 301, headers: { location: `${found.folder}/` } });
    const { bytes, etag, type } = found;
    const headers = { etag, "cache-control": "no-cache", "content-type": type };
    if (ifNoneMatch === etag) return new Response(null, { status: 304, headers });
    const length = { "content-length": String(bytes.byteLength) };
    return new Response(method === "HEAD" ? null : bytes, { headers: { ...headers, ...length } });
  };

  async function fileAt(path: string) {
    const parts = path.split("/").filter((part) => part !== "");
    if (parts.some(isHidden)) return undefined;
    try {
      const named = await realpath(join(root, ...parts));
      const isFolder = (await stat(named)).isDirectory();
      if (isFolder && !path.endsWith("/")) return isInside(named) ? { folder: path } : undefined;
      return await read(isFolder ? await realpath(join(named, "index.html")) : named);
    } catch {
      return undefined;
    }
  }

  async function read(real: string) {
    if (!isInside(real) || real === configFile) return undefined;
    const opened = await open(real, READ);
    try {
      const stats = await opened.stat();
      if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined;
      const etag = `"${stats.size.toString(16)}-${Math.trunc(stats.mtimeMs).toString(16)}"`;
      const type = TYPES[extname(real).toLowerCase()] ?? "application/octet-stream";
      return { bytes: new Uint8Array(await opened.readFile()), etag, type };
    } finally {
      await opened.close();
    }
  }

  function isInside(real: string): boolean {
    const inner = relative(root, real);
    return !inner.startsWith("..") && !inner.split(sep).some(isHidden) && resolve(root, inner) === real;
  }
}

/** Files of the system, of version control and of the gateway itself. */
function isHidden(part: string): boolean {
  return part.startsWith(".") || /^pinhole\./i.test(basename(part));
}

function missing(): Response {
  return plain(404, "Not Found");
}

function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, { status, headers: { "content-type": "text/plain", ...headers } });
}
