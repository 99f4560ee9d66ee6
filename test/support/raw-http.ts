import { connect } from "node:net";

/** A request as it is written on the socket; nothing corrects it. */
export interface RawRequest {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: Uint8Array | string;
}

/** What came back before the connection closed, or in time. */
export interface RawAnswer {
  /** Undefined where the server closed the connection without a word. */
  readonly status: number | undefined;
  readonly head: string;
  readonly body: string;
}

/** The bytes of a request. */
export function writeRequest(request: RawRequest): Buffer {
  const { method = "POST", target = "/mcp", version = "HTTP/1.1", headers = [], body = "" } = request;
  const lines = [`${method} ${target} ${version}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), Buffer.from(body)]);
}

/** How bytes are sent. */
export interface SendOptions {
  readonly timeoutMs: number;
  /** Sends nothing more after the bytes, and says so. */
  readonly end?: boolean | undefined;
}

/** Sends bytes and reads the answer to its end, or to that of the connection; fails where that takes too long. */
export function sendRaw(url: URL, bytes: Uint8Array, { timeoutMs, end }: SendOptions): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(url.port), url.hostname);
    const timer = setTimeout(() => finish(new Error(`No answer within ${timeoutMs} ms.`)), timeoutMs);
    function finish(error?: Error) {
      clearTimeout(timer);
      socket.destroy();
      if (error) reject(error);
      else resolve(read(Buffer.concat(chunks)));
    }
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks).toString("latin1"))) finish();
    });
    // A server that has answered and will not read the rest may reset the connection.
    socket.on("error", () => finish());
    socket.on("close", () => finish());
    if (end) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** Whether an answer is there to its end, so that a connection that stays open need not be waited for. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const head = text.slice(0, end);
  if (/^HTTP\/1\.1 1\d\d /.test(head)) return isWhole(text.slice(end + 4));
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (length !== undefined) return text.length >= end + 4 + Number(length);
  return /^transfer-encoding: chunked$/im.test(head) && text.endsWith("\r\n0\r\n\r\n");
}

function read(bytes: Buffer): RawAnswer {
  const text = bytes.toString("utf8");
  const end = text.indexOf("\r\n\r\n");
  const head = end === -1 ? text : text.slice(0, end);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  const rest = end === -1 ? "" : text.slice(end + 4);
  if (status === "100") return read(Buffer.from(rest));
  const body = /^transfer-encoding: chunked$/im.test(head) ? unchunked(bytes) : rest;
  return { status: status === undefined ? undefined : Number(status), head, body };
}

function unchunked(bytes: Buffer): string {
  const parts: Buffer[] = [];
  let at = bytes.indexOf("\r\n\r\n") + 4;
  while (at < bytes.length) {
    const line = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.subarray(at, line).toString("latin1"), 16);
    if (!(size > 0)) break;
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return Buffer.concat(parts).toString("utf8");
}
