import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Owner of a function by the path of its file; the first match counts. */
const OWNERS: readonly (readonly [owner: string, place: RegExp])[] = [
  ["SDK server", /node_modules\/@modelcontextprotocol\/server\//],
  ["SDK client", /node_modules\/@modelcontextprotocol\/client\//],
  ["SDK core and zod", /node_modules\/(@modelcontextprotocol|zod)\//],
  ["hono and node-server", /node_modules\/(@hono|hono)\//],
  ["undici", /node_modules\/undici\//],
  ["Pinhole", /\/src\//],
  ["Node", /^node:/],
];

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A folder for profiles, and the flags that make Node write one there. */
export function profiling(): { readonly flags: readonly string[]; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "pinhole-profile-"));
  return { folder, flags: ["--cpu-prof", `--cpu-prof-dir=${folder}`] };
}

/** Shares of the busy time of a profiled process, in percent. */
export function sharesOf(folder: string): ReadonlyMap<string, number> {
  const [file = ""] = readdirSync(folder);
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Profile;
  const owners = new Map(nodes.map(({ id, callFrame }) => [id, ownerOf(callFrame)]));
  const times = new Map<string, number>();
  let busy = 0;
  for (const [index, node] of samples.entries()) {
    const owner = owners.get(node) ?? "";
    if (owner === "idle") continue;
    const time = timeDeltas[index] ?? 0;
    busy += time;
    times.set(owner, (times.get(owner) ?? 0) + time);
  }
  const shares = [...times].map(([owner, time]) => [owner, (time / busy) * 100] as const);
  return new Map(shares.sort(([, a], [, b]) => b - a));
}

function ownerOf({ functionName, url }: { readonly functionName: string; readonly url: string }): string {
  if (functionName === "(idle)") return "idle";
  if (functionName === "(garbage collector)") return "garbage collection";
  return OWNERS.find(([, place]) => place.test(url))?.[0] ?? "Node";
}
