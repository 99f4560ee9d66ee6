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
import { sourceInfoOf } from "../source/index.ts";
import { handlerOfTool, type Upstream } from "./call-tool.ts";
import type { McpSourceOptions } from "./options.ts";
import { resourceQueries } from "./resources.ts";
import { listTools, specOfTool } from "./tools.ts";

/** Options of a discovery. */
export type DiscoverOptions = Omit<McpSourceOptions, "url" | "token" | "outbound" | "log" | "version">;

/** The operations of a server. */
export interface Discovered extends Imported {
  /** Names that the server uses: two tools may become operations of the same name. */
  readonly toolNames: readonly string[];
}

/** Reads all lists of a server and turns each entry into a registration. */
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
      // The server is called by its own name for the tool. Secrets are redacted before any text is cut.
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
  const queries = resourceQueries(client, new Set(byName.keys()), { upstream, options, rules });
  const info = redactor.value(withoutInvisible(client.getServerVersion()));
  // Not the instructions: they are written for a model, and every model that searches reads the overview.
  const found = { title: info?.title ?? info?.name, description: info?.description };
  return {
    toolNames: tools.map(({ name }) => name),
    leftOut,
    warnings: rules.problems(),
    set: {
      source: sourceInfoOf(options, found),
      registrations: [...byName.values(), ...queries],
    },
  };
}

/** A tool without invisible characters. A tool whose name has some is left out: its name would be another one. */
function visible(tool: Tool): Tool {
  const seen = withoutInvisible(tool);
  if (seen.name === tool.name) return seen;
  const shown = showInvisible(tool.name).slice(0, 100);
  throw new ImportError("SCHEMA_PARSE", `the name of the tool "${shown}" has characters that cannot be seen`);
}
