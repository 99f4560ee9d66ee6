import type { Bench, Figure } from "./support/bench.ts";
import { type Load, type LoadResult, runLoad } from "./support/http-load.ts";
import { median } from "./support/measure.ts";
import { startServer } from "./support/processes.ts";

const ROUNDS = 5;
const ROUND_MS = 1_500;
const TEXT = "the text that comes back";
const BODY = JSON.stringify({ operation: "bench/echo", input: { text: TEXT } });

/** One identity's calls, alone and next to another that calls far over its limit from its own process. */
export const neighbours: Bench = {
  name: "neighbours",
  title: "calls of one identity while another goes on over its limit, 4 at the same time",
  async run() {
    const server = await startServer("limited");
    try {
      const { searchParams } = server.url;
      const load = loadOf(server.url, searchParams.get("polite") ?? "");
      const hammerArguments = [server.url.href.split("?")[0] ?? "", searchParams.get("greedy") ?? "", BODY];
      await runLoad(load, 4, ROUND_MS);
      const alone: LoadResult[] = [];
      const beside: LoadResult[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        alone.push(await runLoad(load, 4, ROUND_MS));
        const hammer = await startServer("hammer", hammerArguments);
        // The first calls, before the limit applies, are over after a moment.
        await runLoad(load, 4, ROUND_MS);
        beside.push(await runLoad(load, 4, ROUND_MS));
        await hammer.stop();
      }
      return figures(alone, beside);
    } finally {
      await server.stop();
    }
  },
};

function loadOf(url: URL, token: string): Load {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  return { url: new URL("/call", url), headers, body: BODY, expect: TEXT };
}

function figures(alone: readonly LoadResult[], beside: readonly LoadResult[]): readonly Figure[] {
  const columns = (results: readonly LoadResult[]) => ({
    p50: median(results.map(({ p50 }) => p50)),
    p99: median(results.map(({ p99 }) => p99)),
  });
  const measured = columns(beside);
  const baseline = columns(alone);
  const values = { p50: measured.p50 / baseline.p50, p99: measured.p99 / baseline.p99 };
  return [
    { measure: "alone", unit: "ms", values: baseline },
    { measure: "beside a neighbour over its limit", unit: "ms", values: measured },
    {
      measure: "beside a neighbour against alone",
      unit: "x",
      values,
      compared: { unit: "ms", measured, baseline },
      target: { atMost: 1.5, column: "p99" },
      headline: true,
    },
  ];
}
