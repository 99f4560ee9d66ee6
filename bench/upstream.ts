import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Bench, Figure } from "./support/bench.ts";
import { median } from "./support/measure.ts";
import { startServer } from "./support/processes.ts";
import { profiling, sharesOf } from "./support/profile.ts";

const ROUNDS = 7;
const CALLS = { empty: 300, wait: 40 } as const;
const PROFILED_CALLS = 4_000;
const CONCURRENCY = [1, 16] as const;

type ToolName = keyof typeof CALLS;

/** Longest duration of a call through the gateway, as a multiple of the direct one, with one call at a time. */
const TARGETS: Readonly<Record<ToolName, number>> = { empty: 2.2, wait: 1.2 };

/** The same call made directly with the SDK's client, and through the gateway: one client, one upstream, one run. */
export const upstream: Bench = {
  name: "upstream",
  title: "a tool of an upstream server, called directly and through the gateway, by calls at the same time",
  async run() {
    const server = await startServer("upstream");
    const gateway = await startServer("gateway", [server.url.href]);
    const direct = await connect(server.url);
    const through = await connect(gateway.url);
    try {
      const figures: Figure[] = [];
      for (const tool of ["empty", "wait"] as const) {
        const subjects = {
          direct: () => direct.callTool({ name: tool, arguments: { text: "x" } }),
          through: () =>
            through.callTool({ name: "call", arguments: { operation: `up0/${tool}`, input: { text: "x" } } }),
        };
        figures.push(...(await compare(tool, subjects)));
      }
      return [...figures, ...(await whereTheRestGoes(server.url))];
    } finally {
      await Promise.all([direct.close(), through.close()]);
      await gateway.stop();
      await server.stop();
    }
  },
};

/** Time of the gateway under load by its parts, from a profile of its own run. */
async function whereTheRestGoes(upstreamUrl: URL): Promise<Figure[]> {
  const { flags, folder } = profiling();
  const gateway = await startServer("gateway", [upstreamUrl.href], flags);
  const client = await connect(gateway.url);
  const call = () =>
    client.callTool({ name: "call", arguments: { operation: "up0/empty", input: { text: "x" } } });
  await latencies(call, PROFILED_CALLS, 16);
  await client.close();
  await gateway.stop();
  return [...sharesOf(folder)].map(([owner, share]) => ({
    measure: `the gateway's time: ${owner}`,
    unit: "% of busy",
    values: { 16: share },
  }));
}

type Subjects = Readonly<Record<"direct" | "through", () => Promise<unknown>>>;

async function compare(tool: ToolName, subjects: Subjects): Promise<Figure[]> {
  const direct: Record<string, number> = {};
  const through: Record<string, number> = {};
  const ratio: Record<string, number> = {};
  for (const concurrency of CONCURRENCY) {
    const seen = { direct: [] as number[], through: [] as number[] };
    for (let round = 0; round <= ROUNDS; round++) {
      for (const name of ["direct", "through"] as const) {
        const p50 = median(await latencies(subjects[name], CALLS[tool], concurrency));
        if (round > 0) seen[name].push(p50);
      }
    }
    direct[concurrency] = median(seen.direct);
    through[concurrency] = median(seen.through);
    ratio[concurrency] = median(seen.through) / median(seen.direct);
  }
  return [
    { measure: `${tool}: directly`, unit: "ms p50", values: direct },
    { measure: `${tool}: through Pinhole`, unit: "ms p50", values: through },
    {
      measure: `${tool}: through Pinhole against directly`,
      unit: "times p50",
      values: ratio,
      headline: true,
      compared: { unit: "ms p50", measured: through, baseline: direct },
      target: { atMost: TARGETS[tool], column: "1" },
    },
  ];
}

async function latencies(
  call: () => Promise<unknown>,
  calls: number,
  concurrency: number,
): Promise<number[]> {
  const seen: number[] = [];
  const drive = async () => {
    while (seen.length < calls) {
      const started = performance.now();
      await call();
      seen.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, drive));
  return seen;
}

async function connect(url: URL): Promise<Client> {
  const client = new Client({ name: "bench", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}
