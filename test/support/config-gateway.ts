import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { stringify } from "yaml";
import { type Gateway, type StartOptions, startGateway } from "../../src/gateway/gateway.ts";
import { createLog } from "../../src/observe/log.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;

/** A plugin of notes: a query, two mutations and a subscription; what was written is on the global object. */
const NOTES = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  globalThis.pinholeTestNotes ??= [];
  export default definePlugin({ name: "notes", operations: [
    defineOperation({ name: "notes/list", type: "query", description: "Lists all notes.", handler: () => ({ notes: globalThis.pinholeTestNotes }) }),
    defineOperation({ name: "notes/add", type: "mutation", description: "Adds a note.", inputSchema: text,
      handler: ({ text }) => { globalThis.pinholeTestNotes.push(text); return { text }; } }),
    defineOperation({ name: "notes/erase", type: "mutation", description: "Erases all notes.",
      handler: () => { globalThis.pinholeTestNotes.length = 0; } }),
    defineOperation({ name: "notes/follow", type: "subscription", description: "Follows the notes.", async *handler() { yield 1; } }),
    defineOperation({ name: "tags/list", type: "query", description: "Lists all tags.", access: { scopes: ["tags"] }, handler: () => ({ tags: [] }) }),
  ] });`;

/** Said in every config, so that a test can take something away; callers of every kind are let in unless it says otherwise. */
export const SAID = { identities: [], issuers: [], deny: [], access: { anonymous: true } } as const;

/** A gateway that follows a config in a folder of its own. */
export interface ConfigGateway {
  readonly gateway: Gateway;
  readonly directory: string;
  readonly url: string;
  readonly mcpUrl: URL;
  /** Everything that was logged so far. */
  logged(): string;
  /** Writes another config and takes it. */
  reload(config: object): Promise<void>;
}

/** Starts a gateway on a config; the plugin of notes is there as the source `notes`. */
export async function startConfig(
  t: TestContext,
  config: object = {},
  options: Pick<StartOptions, "overlay" | "routes"> = {},
): Promise<ConfigGateway> {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-config-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const write = (wanted: object) => {
    const { sources = {}, ...rest } = wanted as { sources?: object };
    const all = {
      ...SAID,
      ...rest,
      sources: { notes: { plugin: "./notes.ts", public: true }, ...sources },
    };
    return writeFile(join(directory, "pinhole.yaml"), stringify(all));
  };
  await writeFile(join(directory, "notes.ts"), NOTES);
  await write(config);
  const lines: string[] = [];
  const log = createLog("info", (line) => lines.push(line));
  const gateway = await startGateway({ directory, log, watch: false, flags: { port: "0" }, ...options });
  t.after(() => gateway.close());
  return {
    gateway,
    directory,
    url: gateway.url,
    mcpUrl: new URL(`${gateway.url}/mcp`),
    logged: () => lines.join(""),
    async reload(next) {
      await write(next);
      await gateway.reload();
    },
  };
}
