import { readFileSync } from "node:fs";
import type { Bench } from "./support/bench.ts";
import { startServer } from "./support/processes.ts";

const SERVERS = 100;
const TOOLS = 48;
/** The index is finished in slices after the start. */
const SETTLE_MS = 5_000;
const IDLE_MS = 5_000;

/** A hundred servers of fifty tools each behind one gateway: how soon it is ready and what it holds. */
export const manyUpstreams: Bench = {
  name: "many-upstreams",
  title: `${SERVERS} upstream servers with ${TOOLS + 2} tools each`,
  async run() {
    // One process plays them all: what is measured is the gateway, and each address is a server of its own.
    const server = await startServer("upstream", [String(TOOLS)]);
    const urls = Array.from({ length: SERVERS }, (_, index) => `${server.url.href}?server=${index}`);
    const started = performance.now();
    const gateway = await startServer("gateway", urls);
    const seconds = (performance.now() - started) / 1000;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const before = cpuSeconds(gateway.pid);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const idle = ((cpuSeconds(gateway.pid) - before) / (IDLE_MS / 1000)) * 100;
    const memory = residentMegabytes(gateway.pid);
    await gateway.stop();
    await server.stop();
    const column = `${SERVERS} x ${TOOLS + 2}`;
    return [
      { measure: "start to ready", unit: "s", values: { [column]: seconds }, headline: true },
      { measure: "resident memory", unit: "MB", values: { [column]: memory }, headline: true },
      { measure: "processor when idle", unit: "%", values: { [column]: idle }, headline: true },
    ];
  },
};

/** From the kernel's table of processes; NaN on other systems. */
function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readProcess(pid, "status"))?.[1];
  return Number(kilobytes) / 1024;
}

function cpuSeconds(pid: number): number {
  const fields = readProcess(pid, "stat").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
