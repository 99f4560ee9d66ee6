import { problemOfJsonText } from "../../core/index.ts";

/** Limits of the size and depth of a body. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxNesting: number;
}

/** The refusal of a body. */
export class BodyRefused extends Error {
  readonly status: 400 | 413 | 415;

  constructor(status: 400 | 413 | 415, message: string) {
    super(message);
    this.status = status;
  }
}

/** In characters; smaller bodies are parsed within a few milliseconds. */
const LARGE = 256 * 1024;

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a JSON body within limits; throws BodyRefused for one that is too large, too deep, too varied or not JSON. */
export async function readJson(request: Request, limits: BodyLimits): Promise<unknown> {
  const coding = request.headers.get("content-encoding") ?? "identity";
  if (coding.toLowerCase() !== "identity")
    throw new BodyRefused(415, "The body is compressed. Send it as it is, without content-encoding.");
  const text = toText(await readBytes(request, limits.maxBodyBytes));
  const problem = problemOfJsonText(text, limits.maxNesting);
  if (problem) throw new BodyRefused(400, `The body ${problem.says}. ${problem.advice}`);
  // Looking at a large text and parsing it both take their time: others go in between.
  if (text.length > LARGE) await new Promise(setImmediate);
  try {
    return JSON.parse(text);
  } catch {
    throw new BodyRefused(400, "The body is not valid JSON.");
  }
}

/** Reads a body of at most so many bytes; throws BodyRefused for a larger one, and for one that breaks off. */
export function readBytes(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  return bytesOf(request, limit).catch(brokeOff);
}

async function bytesOf(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > limit) throw tooLarge(limit);
  // A declared length is kept by the HTTP parser, so only a body without one must be counted.
  if (!Number.isNaN(declared)) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Refuses invalid UTF-8: replacing bytes could change the JSON. */
function toText(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw new BodyRefused(400, "The body is not valid UTF-8.");
  }
}

/** The sender went away, or broke the framing: nothing of ours has failed. */
function brokeOff(error: unknown): never {
  if (error instanceof BodyRefused) throw error;
  throw new BodyRefused(400, "The body broke off.");
}

function tooLarge(limit: number): BodyRefused {
  return new BodyRefused(413, `The body is larger than ${limit} bytes.`);
}
