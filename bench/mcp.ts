import type { Bench, ByColumn, Figure } from "./support/bench.ts";
import { type Load, type LoadResult, runLoad } from "./support/http-load.ts";
import { median } from "./support/measure.ts";
import { startServer } from "./support/processes.ts";

const CONCURRENCY = [1, 16, 64] as const;
const SERVERS = ["bare", "sdk", "pinhole"] as const;
const ROUNDS = 5;
const ROUND_MS = 800;

type ServerName = (typeof SERVERS)[number];

const TITLES: Readonly<Record<ServerName, string>> = {
  bare: "(a) bare node:http",
  sdk: "(b) SDK server alone",
  pinhole: "Pinhole",
};

/** A tools/call over MCP 2026-07-28: a bare handler, the SDK's server and the gateway, in one run. */
export const mcp: Bench = {
  name: "mcp",
  title: "a tools/call over streamable HTTP, by calls at the same time",
  async run() {
    const processes = await Promise.all(SERVERS.map((name) => startServer(name)));
    const loads = processes.map(({ url }) => loadFor(url));
    try {
      for (const load of loads) await runLoad(load, 16, ROUND_MS);
      const results = await measure(loads);
      return SERVERS.flatMap((name) => figuresOf(name, results));
    } finally {
      await Promise.all(processes.map((process) => process.stop()));
    }
  },
};

type Results = Readonly<Record<ServerName, ByColumn<LoadResult>>>;

/** Servers take turns within each round, so that noise hits all of them. */
async function measure(loads: readonly Load[]): Promise<Results> {
  const results = { bare: {}, sdk: {}, pinhole: {} } as Record<ServerName, Record<string, LoadResult>>;
  for (const connections of CONCURRENCY) {
    const seen = SERVERS.map((): LoadResult[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, load] of loads.entries())
        seen[index]?.push(await runLoad(load, connections, ROUND_MS));
    }
    for (const [index, name] of SERVERS.entries()) results[name][connections] = middleOf(seen[index] ?? []);
  }
  return results;
}

function middleOf(rounds: readonly LoadResult[]): LoadResult {
  const of = (key: keyof LoadResult) => median(rounds.map((round) => round[key]));
  return { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99") };
}

function figuresOf(name: ServerName, results: Results): Figure[] {
  const pick = (key: keyof LoadResult, from = name): ByColumn<number> =>
    Object.fromEntries(CONCURRENCY.map((column) => [column, results[from][column]?.[key] ?? Number.NaN]));
  const ratio = (to: ServerName): ByColumn<number> => {
    const own = pick("p50");
    const other = pick("p50", to);
    return Object.fromEntries(
      CONCURRENCY.map((column) => [column, (own[column] ?? 0) / (other[column] ?? 0)]),
    );
  };
  const title = TITLES[name];
  const figures: Figure[] = [
    { measure: title, unit: "calls/s", values: pick("perSecond") },
    { measure: title, unit: "ms p50", values: pick("p50") },
    { measure: title, unit: "ms p99", values: pick("p99") },
  ];
  if (name !== "pinhole") return figures;
  return [
    ...figures,
    { measure: `${title} against ${TITLES.sdk}`, unit: "times p50", values: ratio("sdk"), headline: true },
    { measure: `${title} against ${TITLES.bare}`, unit: "times p50", values: ratio("bare"), headline: true },
  ];
}

function loadFor(url: URL): Load {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "0.0.0" },
  };
  const text = "the text that comes back";
  const params = { name: "call", arguments: { operation: "bench/echo", input: { text } }, _meta: meta };
  return {
    url,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "call",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    expect: text,
  };
}
