import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { serveRuntime } from "../../test/support/serve.ts";
import type { LabelledQuery } from "../search/read-set.ts";
import { toSources } from "../search/to-sources.ts";
import type { Catalogue } from "./catalogues.ts";
import { tokensOf, tokensOfCall } from "./definitions.ts";
import { signatureSuffices } from "./signature-suffices.ts";
import { type Exchange, MOST_LOOKS, type Outcome, type Shown, type Strategy } from "./strategy.ts";

/** The part of a search answer that the script reads. */
interface Page {
  readonly operations: readonly { readonly name: string; readonly signature: string }[];
  readonly nextCursor?: string;
}

/** The four tools, served by the product over MCP. */
export const gateway: Strategy = {
  name: "gateway",
  policy: `Pinhole's four tools and its instructions. The script sends the task's text to search; if no right tool is in the reply, it asks for the next page, ${MOST_LOOKS} pages at most. It asks for the schema of the right tool only if the signature is cut short or a required parameter is not of a plain type; then it calls.`,
  show: (catalogue) => serve(catalogue, signatureSuffices),
};

/** The same with a model that never trusts a signature. */
export const cautiousGateway: Strategy = {
  name: "gateway, schema always",
  policy: "The same, but the script asks for the schema before every call: an unkind bound.",
  show: (catalogue) => serve(catalogue, () => false),
};

async function serve({ tools }: Catalogue, suffices: (signature: string) => boolean): Promise<Shown> {
  const { sources, idOf } = toSources(tools);
  const server = await serveRuntime({ sources });
  const client = new Client({ name: "bench", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(server.mcpUrl));
  const listed = await client.listTools();
  const shown = listed.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const menu = tokensOf(shown) + tokensOf(client.getInstructions() ?? "");
  return {
    work: (task) => work(task, { client, idOf, menu, suffices }),
    async close() {
      await client.close();
      await server.close(0);
    },
  };
}

interface Opened {
  readonly client: Client;
  readonly idOf: ReadonlyMap<string, string>;
  readonly menu: number;
  readonly suffices: (signature: string) => boolean;
}

async function work({ query, relevant }: LabelledQuery, opened: Opened): Promise<Outcome> {
  const { client, idOf, menu, suffices } = opened;
  const exchanges: Exchange[] = [];
  let right: Page["operations"][number] | undefined;
  let looks = 0;
  let cursor: string | undefined;
  do {
    const page = await ask<Page>("search", cursor === undefined ? { query } : { query, cursor });
    looks++;
    right = page.operations.find(({ name }) => relevant.includes(idOf.get(name) ?? ""));
    cursor = page.nextCursor;
  } while (!right && cursor !== undefined && looks < MOST_LOOKS);
  if (right && !suffices(right.signature)) await ask("schema", { name: right.name });
  return {
    menu,
    menuIsOfTask: false,
    exchanges,
    roundTrips: exchanges.length,
    seenFirst: right !== undefined && looks === 1,
    seen: right !== undefined,
    callFrame: right ? tokensOfCall("call", { operation: right.name, input: {} }) : 0,
  };

  /** The model reads the text of a result; the same data next to it is for programs. */
  async function ask<Answer>(name: string, input: Record<string, unknown>): Promise<Answer> {
    const { content, isError } = await client.callTool({ name, arguments: input });
    const [block] = content;
    if (isError || block?.type !== "text") throw new Error(`${name} failed: ${JSON.stringify(content)}`);
    exchanges.push({ wrote: tokensOfCall(name, input), read: tokensOf(block.text) });
    return JSON.parse(block.text) as Answer;
  }
}
