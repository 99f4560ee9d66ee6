import type { Client, Tool } from "@modelcontextprotocol/client";
import { ImportError, type Imported, type Registration } from "../../core/index.ts";
import { handlerOfTool } from "./call-tool.ts";
import type { Connections } from "./connections.ts";
import type { McpSourceOptions } from "./options.ts";
import { offersOf } from "./resources.ts";
import { externalTools, specOfTool } from "./tools.ts";

const LIST_TIMEOUT_MS = 30_000;

/** What a discovery is told about the source. */
export type DiscoverOptions = Omit<McpSourceOptions, "url" | "token" | "outbound" | "log" | "version">;

/** Reads all pages of what a server offers and turns each thing into a registration. */
export async function discover(
  client: Client,
  { connections, options }: { readonly connections: Connections; readonly options: DiscoverOptions },
): Promise<Imported> {
  const upstream = { connections, options };
  const isExternal = externalTools(options);
  const tools = client.getServerCapabilities()?.tools ? await allTools(client) : [];
  const byName = new Map<string, Registration>();
  const leftOut: ImportError[] = [];

  for (const tool of tools) {
    try {
      const spec = specOfTool(tool, options, isExternal);
      if (byName.has(spec.name)) {
        throw new ImportError("NAME_COLLISION", `two tools would be named ${spec.name}; the first one stays`);
      }
      byName.set(spec.name, {
        spec,
        provenance: "from-mcp",
        public: options.public,
        handler: handlerOfTool(tool, spec, upstream),
        ...(options.capabilities && { capabilities: options.capabilities }),
      });
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      leftOut.push(error);
    }
  }
  const offers = offersOf(client, new Set(byName.keys()), { upstream, options, isExternal });
  const info = client.getServerVersion();
  const title = options.title ?? info?.title ?? info?.name;
  const description = options.description ?? firstSentence(client.getInstructions()) ?? title;
  return {
    leftOut,
    set: {
      source: { name: options.name, ...(title && { title }), ...(description && { description }) },
      registrations: [...byName.values(), ...offers],
    },
  };
}

async function allTools(client: Client): Promise<readonly Tool[]> {
  const { tools } = await client.listTools(undefined, { cacheMode: "bypass", timeout: LIST_TIMEOUT_MS });
  return tools;
}

/** Instructions often begin with a heading, which says less than the sentence below it. */
function firstSentence(text: string | undefined): string | undefined {
  const line = text?.split("\n").find((each) => /^[^#\s]/.test(each));
  return line?.split(/(?<=[.!?])\s/, 1)[0]?.slice(0, 200);
}
