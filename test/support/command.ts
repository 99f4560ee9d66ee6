import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { childEnv } from "./child-env.ts";

/** A gateway in a process of its own. */
export interface RunningCommand {
  readonly url: URL;
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** What it has complained or logged so far. */
  said(): string;
  /** Asks it to stop and answers its exit code. */
  stop(): Promise<number | null>;
}

/** Starts `pinhole serve` and waits until it says where it listens. */
export async function startCommand(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<RunningCommand> {
  const env = childEnv();
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const exit = once(child, "exit");
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  for await (const line of createInterface(child.stdout)) {
    const url = /listens on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    // What it says later must not fill the pipe.
    child.stdout.resume();
    return {
      url: new URL(url),
      child,
      said: () => said,
      async stop() {
        child.kill("SIGTERM");
        const [code] = (await exit) as [number | null];
        return code;
      },
    };
  }
  throw new Error(`It ended without listening: ${said}`);
}
