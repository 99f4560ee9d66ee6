import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { CallErrorJson } from "pinhole/core";
import { stringify } from "yaml";
import { startGateway } from "../../src/gateway/gateway.ts";
import { createLog } from "../../src/observe/log.ts";
import { answerOf, type ModernOptions, postModern, resultOf, type WireMessage } from "./mcp-wire.ts";
import type { ScriptedUpstream } from "./scripted-upstream.ts";

/** How a call over HTTP came out. */
export interface HttpOutcome {
  readonly output?: unknown;
  readonly error?: CallErrorJson;
  readonly content?: unknown;
}

/** The config of a source that leads to an upstream. */
export function sourceOf({ url }: ScriptedUpstream, more: object = {}): object {
  return { mcp: url.href, allowPrivate: true, external: "*", ...more };
}

/** Starts a whole gateway with a config file; it ends with the test. */
export async function startConfigured(t: TestContext, config: object) {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-upstreams-"));
  const file = join(directory, "pinhole.yaml");
  await writeFile(file, stringify(config));
  const lines: string[] = [];
  const log = createLog("debug", (line) => lines.push(line));
  const gateway = await startGateway({ directory, log, watch: false, flags: { port: "0" } });
  t.after(async () => {
    await gateway.close();
    await rm(directory, { recursive: true, force: true });
  });
  const url = new URL("/mcp", gateway.url);

  /** A request to the call tool, as a client of 2026-07-28 sends it. */
  async function post(operation: string, input: object, more: object = {}, wire: ModernOptions = {}) {
    const params = { name: "call", arguments: { operation, input }, ...more };
    return answerOf(await postModern(url, "tools/call", params, wire));
  }

  return {
    gateway,
    directory,
    post,
    async call(operation: string, input: object = {}, wire: ModernOptions = {}): Promise<HttpOutcome> {
      return outcomeOf(await post(operation, input, {}, wire));
    },
    /** Writes another config and has it taken. */
    async configure(next: object): Promise<void> {
      await writeFile(file, stringify(next));
      await gateway.reload();
    },
    logged: () => lines.join(""),
  };
}

/** What a result of the call tool says. */
export function outcomeOf(message: WireMessage): HttpOutcome {
  const { structuredContent, content } = resultOf(message);
  return { ...(structuredContent as object), content };
}
