import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: URL;
  stop(): Promise<void>;
}

/** Starts `bench/servers/<name>.ts`, which prints its address when it listens. */
export async function startServer(name: string): Promise<ServerProcess> {
  const script = join(import.meta.dirname, "..", "servers", `${name}.ts`);
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url: new URL(line),
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}
