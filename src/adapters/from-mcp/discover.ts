import type { Client, Tool } from "@modelcontextprotocol/client";
import {
  createRedactor,
  createSourceRules,
  ImportError,
  type Imported,
  type Registration,
  showInvisible,
  withoutInvisible,
} from "../../core/index.ts";
import { handlerOfTool, type Upstream } from "./call-tool.ts";
import type { McpSourceOptions } from "./options.ts";
import { offersOf } from "./resources.ts";
import { listTools, specOfTool } from "./tools.ts";

/** Titles and descriptions of a source stand in every overview. */
const MAX_TITLE = 200;

/** What a discovery is told about the source. */
export type DiscoverOptions = Omit<McpSourceOptions, "url" | "token" | "outbound" | "log" | "version">;

/** What a server offers. */
export interface Discovered extends Imported {
  /** As the server has them: operations of the same name may be of different tools. */
  readonly toolNames: readonly string[];
}

/** Reads all pages of what a server offers and turns each thing into a registration. */
export async function discover(
  client: Client,
  upstream: Upstream & { readonly options: DiscoverOptions },
): Promise<Discovered> {
  const { options } = upstream;
  const rules = createSourceRules(options);
  const { tools, cut } = client.getServerCapabilities()?.tools ? await listTools(client) : { tools: [] };
  const byName = new Map<string, Registration>();
  const leftOut: ImportError[] = cut ? [cut] : [];
  const redactor = createRedactor(options.secrets?.() ?? []);

  for (const tool of tools) {
    try {
      // The server is called by the name that it gave; what is shown is without its secrets before anything is cut.
      const spec = rules.apply(specOfTool(redactor.value(visible(tool)), options), tool.name);
      if (byName.has(spec.name)) {
        throw new ImportError("NAME_COLLISION", `two tools would be named ${spec.name}; the first one stays`);
      }
      byName.set(spec.name, {
        spec,
        provenance: "from-mcp",
        public: options.public,
        trustsHints: options.trustAnnotations,
        handler: handlerOfTool(tool, spec, upstream),
        ...(options.capabilities && { capabilities: options.capabilities }),
      });
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      leftOut.push(error);
    }
  }
  const offers = offersOf(client, new Set(byName.keys()), { upstream, options, rules });
  const info = redactor.value(withoutInvisible(client.getServerVersion()));
  const title = options.title ?? (info?.title ?? info?.name)?.slice(0, MAX_TITLE);
  // Not its instructions: those are written for a model, and an overview is read by every model that looks for anything.
  const description = options.description ?? firstSentence(info?.description) ?? title;
  return {
    toolNames: tools.map(({ name }) => name),
    leftOut,
    warnings: rules.problems(),
    set: {
      source: { name: options.name, ...(title && { title }), ...(description && { description }) },
      registrations: [...byName.values(), ...offers],
    },
  };
}

/** A tool without hidden characters. A tool whose name has some is not offered: its name would be another one. */
function visible(tool: Tool): Tool {
  const seen = withoutInvisible(tool);
  if (seen.name === tool.name) return seen;
  const shown = showInvisible(tool.name).slice(0, 100);
  throw new ImportError("SCHEMA_PARSE", `the name of the tool "${shown}" has characters that cannot be seen`);
}

/** Descriptions often begin with a heading, which says less than the sentence below it. */
function firstSentence(text: string | undefined): string | undefined {
  const line = text?.split("\n").find((each) => /^[^#\s]/.test(each));
  return line?.split(/(?<=[.!?])\s/, 1)[0]?.slice(0, MAX_TITLE);
}
