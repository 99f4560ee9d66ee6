import { once } from "node:events";
import { WebSocket } from "ws";
import { createConnection, type Transport } from "../src/protocol/index.ts";
import { connectByteStream, connectWs } from "../src/protocol/transports/index.ts";
import type { Bench, ByColumn, Figure } from "./support/bench.ts";
import { median } from "./support/measure.ts";
import { startServer } from "./support/processes.ts";

const IN_FLIGHT = [1, 16, 256] as const;
const ROUNDS = 5;
const ROUND_MS = 800;
const TEXT = "the text that comes back";

/** One round trip, and the end of the connection that it goes over. */
interface Subject {
  trip(): Promise<unknown>;
  close(): void;
}

interface Result {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

type Name = "bare" | "webSocket" | "tcp";

const TITLES: Readonly<Record<Name, string>> = {
  bare: "(a) bare ws, echo",
  webSocket: "Pinhole, WebSocket",
  tcp: "Pinhole, TCP",
};

/** Round trips on one connection: a call through dispatch against a message that is only sent back. */
export const callProtocol: Bench = {
  name: "call-protocol",
  title: "round trips on one connection, by calls in flight",
  async run() {
    const [echo, node] = await Promise.all([startServer("ws-echo"), startServer("call-node")]);
    const [host = "", port = ""] = (node.url.searchParams.get("tcp") ?? "").split(":");
    const subjects: Readonly<Record<Name, Subject>> = {
      bare: await openBare(echo.url),
      webSocket: openCalls(await connectWs(node.url)),
      tcp: openCalls(await connectByteStream({ host, port: Number(port) })),
    };
    try {
      return toFigures(await compare(subjects));
    } finally {
      for (const subject of Object.values(subjects)) subject.close();
      await Promise.all([echo.stop(), node.stop()]);
    }
  },
};

function openCalls(transport: Transport): Subject {
  const connection = createConnection({ transport });
  return {
    async trip() {
      const output = (await connection.call("bench/echo", { text: TEXT })) as { text?: string };
      if (output.text !== TEXT) throw new Error(`Not the text that was sent: ${JSON.stringify(output)}`);
    },
    close: () => connection.close(),
  };
}

/** Messages come back in order, so that the first that waits is the one that is answered. */
async function openBare(url: URL): Promise<Subject> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, "open");
  const waiting: (() => void)[] = [];
  socket.on("message", () => waiting.shift()?.());
  const payload = { operationId: "/bench/echo", input: { text: TEXT }, deadlineMs: 30_000 };
  const message = Buffer.from(JSON.stringify({ type: "call.requested", id: "0123456789ab-1", payload }));
  return {
    trip: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        socket.send(message);
      }),
    close: () => socket.terminate(),
  };
}

/** They take turns within each round, so that noise hits all of them. */
async function compare(
  subjects: Readonly<Record<Name, Subject>>,
): Promise<Readonly<Record<Name, ByColumn<Result>>>> {
  const names = Object.keys(subjects) as Name[];
  for (const name of names) await load(subjects[name], 16);
  const results: Record<Name, Record<string, Result>> = { bare: {}, webSocket: {}, tcp: {} };
  for (const inFlight of IN_FLIGHT) {
    const seen: Record<Name, Result[]> = { bare: [], webSocket: [], tcp: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of names) seen[name].push(await load(subjects[name], inFlight));
    }
    for (const name of names) results[name][inFlight] = middleOf(seen[name]);
  }
  return results;
}

async function load(subject: Subject, inFlight: number): Promise<Result> {
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + ROUND_MS;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let now = performance.now(); now < end; ) {
        await subject.trip();
        const then = performance.now();
        latencies.push(then - now);
        now = then;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };
}

function middleOf(rounds: readonly Result[]): Result {
  const of = (key: keyof Result) => median(rounds.map((round) => round[key]));
  return { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99") };
}

function toFigures(results: Readonly<Record<Name, ByColumn<Result>>>): readonly Figure[] {
  const pick = (name: Name, key: keyof Result) =>
    Object.fromEntries(Object.entries(results[name]).map(([column, result]) => [column, result[key]]));
  const share = (name: Name) =>
    Object.fromEntries(
      Object.entries(results[name]).map(([column, { perSecond }]) => [
        column,
        perSecond / (results.bare[column]?.perSecond ?? Number.NaN),
      ]),
    );
  const names = Object.keys(TITLES) as Name[];
  return [
    ...names.flatMap((name) => [
      { measure: TITLES[name], unit: "trips/s", values: pick(name, "perSecond") },
      { measure: TITLES[name], unit: "ms p50", values: pick(name, "p50") },
      { measure: TITLES[name], unit: "ms p99", values: pick(name, "p99") },
    ]),
    {
      measure: `${TITLES.webSocket} of ${TITLES.bare}`,
      unit: "times trips/s",
      values: share("webSocket"),
      headline: true,
      compared: {
        unit: "trips/s",
        measured: pick("webSocket", "perSecond"),
        baseline: pick("bare", "perSecond"),
      },
      target: { atLeast: 0.5 },
    },
    {
      measure: `${TITLES.tcp} of ${TITLES.bare}`,
      unit: "times trips/s",
      values: share("tcp"),
      headline: true,
      compared: { unit: "trips/s", measured: pick("tcp", "perSecond"), baseline: pick("bare", "perSecond") },
      target: { atLeast: 0.5 },
    },
  ];
}
