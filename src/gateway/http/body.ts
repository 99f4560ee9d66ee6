/** How large and how deep a body may be. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxNesting: number;
}

/** Why a body was not taken. */
export class BodyRefused extends Error {
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

/** Reads a JSON body within limits; throws BodyRefused for one that is too large, too deep or no JSON. */
export async function readJson(request: Request, limits: BodyLimits): Promise<unknown> {
  const text = await readText(request, limits.maxBodyBytes).catch(brokeOff);
  if (isDeeperThan(text, limits.maxNesting)) {
    throw new BodyRefused(400, `The body is nested deeper than ${limits.maxNesting} levels.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new BodyRefused(400, "The body is no valid JSON.");
  }
}

async function readText(request: Request, limit: number): Promise<string> {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > limit) throw tooLarge(limit);
  // A declared length is kept by the HTTP parser, so only a body without one must be counted.
  if (!Number.isNaN(declared)) return request.text();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Whoever sent it went away, or broke the framing: nothing of ours has failed. */
function brokeOff(error: unknown): never {
  if (error instanceof BodyRefused) throw error;
  throw new BodyRefused(400, "The body broke off.");
}

function tooLarge(limit: number): BodyRefused {
  return new BodyRefused(413, `The body is larger than ${limit} bytes.`);
}

/** Counted on the text, because a parsed value that is too deep is too late. */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (quoted) {
      if (code === 0x5c) index++;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
