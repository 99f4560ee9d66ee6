import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: URL;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts `bench/servers/<name>.ts`, which prints its address when it is ready. */
export async function startServer(
  name: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<ServerProcess> {
  const script = join(import.meta.dirname, "..", "servers", `${name}.ts`);
  const child = spawn(process.execPath, [...flags, script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url: new URL(line),
    pid: child.pid ?? 0,
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}
