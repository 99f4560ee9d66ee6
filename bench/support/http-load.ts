import { connect, type Socket } from "node:net";

/** One kind of request, ready to send over and over. */
export interface Load {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Every answer must contain this, or the load was not served. */
  readonly expect: string;
}

/** Results of one round of load. */
export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Sends requests over so many connections at once, each waiting for its answer, for so long. */
export async function runLoad(load: Load, connections: number, milliseconds: number): Promise<LoadResult> {
  const request = toBytes(load);
  const latencies: number[] = [];
  const end = performance.now() + milliseconds;
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, () => drive()));
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };

  async function drive(): Promise<void> {
    const socket = connect(Number(load.url.port), load.url.hostname).setNoDelay();
    const answers = readAnswers(socket);
    while (performance.now() < end) {
      const sent = performance.now();
      socket.write(request);
      const { value } = await answers.next();
      if (!value?.includes(load.expect)) throw new Error(`An answer without ${load.expect}: ${value}`);
      latencies.push(performance.now() - sent);
    }
    socket.destroy();
  }
}

function toBytes({ url, headers, body }: Load): Buffer {
  const all = { host: url.host, "content-length": String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${url.pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

/** Whole answers, one after the other: with a length, or in chunks. */
async function* readAnswers(socket: Socket): AsyncGenerator<string, undefined> {
  let text = "";
  for await (const chunk of socket) {
    text += (chunk as Buffer).toString("latin1");
    const head = text.indexOf("\r\n\r\n");
    if (head === -1) continue;
    const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1];
    const isWhole =
      length === undefined ? text.endsWith("\r\n0\r\n\r\n") : text.length >= head + 4 + Number(length);
    if (!isWhole) continue;
    yield text;
    text = "";
  }
  return undefined;
}
