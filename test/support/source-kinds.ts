import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import type { SOURCE_KINDS } from "../../src/adapters/index.ts";
import { startGateway } from "../../src/gateway/gateway.ts";
import { createLog } from "../../src/observe/log.ts";
import { serveMcp } from "./serve.ts";

/** A real source of one kind, which has the operations `look` and `change`. */
interface RealSource {
  /** What stands before those names in the source itself. */
  readonly prefix: string;
  /** A key that another kind has and this one has not. */
  readonly foreignKey: readonly [key: string, value: unknown];
  /** Starts one until the test ends; answers what a config says to import it. */
  start(t: TestContext): Promise<Readonly<Record<string, unknown>>>;
  /** Other sources that the config must have for it. */
  beside?(t: TestContext): Promise<Readonly<Record<string, object>>>;
}

const CORE = new URL("../../src/core.ts", import.meta.url).href;

const pluginText = (
  namespace: string,
) => `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
  export default definePlugin({ name: ${JSON.stringify(namespace)}, operations: [
    defineOperation({ name: "${namespace}/look", type: "query", description: "Looks.", handler: () => "seen" }),
    defineOperation({ name: "${namespace}/change", type: "mutation", description: "Changes.", handler: () => "changed" }),
  ] });`;

async function folder(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-source-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const startPeer: RealSource["start"] = async (t) => {
  const directory = await folder(t);
  await writeFile(join(directory, "lab.ts"), pluginText("lab"));
  await writeFile(join(directory, "pinhole.yaml"), "sources: { lab: { plugin: ./lab.ts } }");
  const log = createLog("error", () => {});
  const gateway = await startGateway({ directory, log, watch: false, flags: { port: "0" } });
  t.after(() => gateway.close());
  return { peer: `${gateway.url.replace("http", "ws")}/call-protocol`, allowPrivate: true };
};

/** One for each kind that a config can name: a kind without one does not compile. */
export const REAL_SOURCES: Readonly<Record<keyof typeof SOURCE_KINDS, RealSource>> = {
  mcp: {
    prefix: "",
    foreignKey: ["headers", { a: "b" }],
    async start(t) {
      const { url } = await serveMcp(t, () => {
        const server = new McpServer({ name: "kinds", version: "1" });
        for (const name of ["look", "change"])
          server.registerTool(name, { description: name }, async () => ({
            content: [{ type: "text", text: name }],
          }));
        return server;
      });
      return { mcp: url, allowPrivate: true };
    },
  },
  openapi: {
    prefix: "",
    foreignKey: ["relayQuestions", false],
    async start(t) {
      const server = createServer((_request, response) =>
        response.setHeader("content-type", "application/json").end('"answered"'),
      ).listen(0, "127.0.0.1");
      await once(server, "listening");
      t.after(() => {
        server.closeAllConnections();
        server.close();
      });
      const responses = { 200: { description: "Fine.", content: { "application/json": {} } } };
      const file = join(await folder(t), "openapi.json");
      const paths = {
        "/look": { get: { operationId: "look", responses } },
        "/change": { post: { operationId: "change", responses } },
      };
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await writeFile(file, JSON.stringify({ openapi: "3.1.0", servers: [{ url }], paths }));
      return { openapi: file, allowPrivate: true };
    },
  },
  peer: {
    prefix: "lab/",
    foreignKey: ["tokenHeader", "X-Key"],
    start: startPeer,
  },
  any: {
    prefix: "lab/",
    foreignKey: ["timeoutMs", 5],
    start: async () => ({ any: ["west", "east"] }),
    beside: async (t) => ({ west: await startPeer(t), east: await startPeer(t) }),
  },
  plugin: {
    prefix: "",
    foreignKey: ["timeoutMs", 5],
    async start(t) {
      const file = join(await folder(t), "plugin.ts");
      await writeFile(file, pluginText("src"));
      return { plugin: file };
    },
  },
};
