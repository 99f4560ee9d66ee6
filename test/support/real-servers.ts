import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";

const PATIENCE_MS = 20_000;

/** A published server, started as its users start it. */
export interface RealServer {
  readonly url: URL;
  readonly port: number;
  /** Ends it at once, with everything that it has started. */
  stop(): Promise<void>;
}

/** How a published server is started. */
export interface Launch {
  /** Packages that must be installed. */
  readonly packages: readonly string[];
  /** What node runs, on a port. */
  readonly args: (port: number) => readonly string[];
  readonly env?: (port: number) => Readonly<Record<string, string>>;
}

/** The reference server that has one of everything, over streamable HTTP with sessions. */
export const EVERYTHING: Launch = {
  packages: ["@modelcontextprotocol/server-everything"],
  args: () => [fileOf("@modelcontextprotocol/server-everything", "dist/index.js"), "streamableHttp"],
  env: (port) => ({ PORT: String(port) }),
};

/** A knowledge graph in a file: a server that speaks stdio only, behind a bridge. */
export function memoryBehindBridge(file: string): Launch {
  return {
    packages: ["mcp-proxy", "@modelcontextprotocol/server-memory"],
    args: (port) => [
      fileOf("mcp-proxy", "dist/bin/mcp-proxy.mjs"),
      ...["--host", "127.0.0.1", "--port", String(port), "--server", "stream"],
      "--",
      process.execPath,
      fileOf("@modelcontextprotocol/server-memory", "dist/index.js"),
    ],
    env: () => ({ MEMORY_FILE_PATH: file }),
  };
}

/** Documentation of libraries, in its HTTP mode; what it would ask the internet goes to the given address. */
export function context7(api: URL): Launch {
  return {
    packages: ["@upstash/context7-mcp"],
    args: (port) => [
      fileOf("@upstash/context7-mcp", "dist/index.js"),
      ...["--transport", "http", "--port", String(port)],
    ],
    env: () => ({ CONTEXT7_API_URL: api.href, OTEL_SDK_DISABLED: "true" }),
  };
}

/** Why something cannot be started here, if so: its packages are development dependencies. */
export function reasonToSkip({ packages }: Pick<Launch, "packages">): string | false {
  const missing = packages.filter((name) => folderOf(name) === undefined);
  return missing.length > 0 && `not installed: ${missing.join(", ")}`;
}

/** Starts a server, on a free port unless one is given, and waits until it answers. */
export async function startRealServer(launch: Launch, given?: number): Promise<RealServer> {
  const port = given ?? (await freePort());
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  // In a group of its own, so that it ends together with what it starts.
  const child = spawn(process.execPath, launch.args(port), {
    env: { ...environment(), ...launch.env?.(port) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(String(chunk)));
  const ended = once(child, "exit");
  const end = () => killGroup(child);
  process.once("exit", end);
  const server: RealServer = {
    url,
    port,
    async stop() {
      process.off("exit", end);
      end();
      await ended;
    },
  };
  const isUp = await Promise.race([answers(url), ended.then(() => false)]);
  if (isUp) return server;
  await server.stop();
  throw new Error(`${launch.packages.join(" with ")} does not answer at ${url}: ${said.join("")}`);
}

/** Any answer counts; the server has not been asked anything yet. */
async function answers(url: URL): Promise<boolean> {
  const giveUp = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUp) {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    await response?.body?.cancel();
    if (response) return true;
    await sleep(50);
  }
  return false;
}

function killGroup(child: ChildProcess): void {
  const { pid } = child;
  try {
    // Windows has no groups.
    if (process.platform === "win32" || pid === undefined) child.kill("SIGKILL");
    else process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Without what would make the server write coverage, or call the outside through a proxy. */
function environment(): NodeJS.ProcessEnv {
  const unwanted = /^(NODE_V8_COVERAGE|NODE_OPTIONS|NODE_TEST_CONTEXT|(https?|all)_proxy)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !unwanted.test(name)));
}

function fileOf(name: string, path: string): string {
  return join(folderOf(name) ?? "", path);
}

function folderOf(name: string): string | undefined {
  try {
    return dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
  } catch {
    return undefined;
  }
}
