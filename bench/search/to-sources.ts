import { defineOperation, type JsonSchema, type Registration, type SourceSet } from "../../src/core.ts";
import type { Tool } from "./read-set.ts";

/** Operations of the product for tools of the sets, and the id of each name. */
export interface Imported {
  readonly sources: readonly SourceSet[];
  readonly idOf: ReadonlyMap<string, string>;
}

/** Brings tools in as an adapter would: one source and one namespace for each server. */
export function toSources(tools: readonly Tool[]): Imported {
  const namespaces = new Names();
  const names = new Names();
  const servers = new Map<string, { readonly namespace: string; readonly registrations: Registration[] }>();
  const sources: SourceSet[] = [];
  const idOf = new Map<string, string>();
  for (const tool of tools) {
    let server = servers.get(tool.server);
    if (!server) {
      server = { namespace: namespaces.free(safe(tool.server) || "tools"), registrations: [] };
      servers.set(tool.server, server);
      sources.push({ source: sourceOf(tool, server.namespace), registrations: server.registrations });
    }
    const name = names.free(`${server.namespace}/${safe(tool.name) || "tool"}`);
    idOf.set(name, tool.id);
    server.registrations.push(registrationOf(tool, name));
  }
  return { sources, idOf };
}

function sourceOf({ server, serverTitle, serverDescription }: Tool, namespace: string): SourceSet["source"] {
  const title = serverTitle || (isLost(server) ? server : "");
  return {
    name: namespace,
    ...(title && { title }),
    ...(serverDescription && { description: serverDescription }),
  };
}

function registrationOf(tool: Tool, name: string): Registration {
  const operation = defineOperation({
    name,
    type: "mutation",
    ...(isLost(tool.name) && { title: tool.name }),
    description: tool.description,
    ...(isSchema(tool.inputSchema) && { inputSchema: tool.inputSchema }),
    handler: () => null,
  });
  // They are what servers list: some have no description, and not every schema is one.
  return { ...operation, provenance: "from-mcp" };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Replaces characters that a name may not have by underscores. */
function safe(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9_.-]+/g, "_")
    .replace(/^[.-]+/, "")
    .slice(0, 90);
}

/** True if nothing readable is left of a name. */
function isLost(text: string): boolean {
  return /\p{L}/u.test(text) && !/[A-Za-z0-9]/.test(text);
}

/** Gives each name once. */
class Names {
  readonly #taken = new Set<string>();
  readonly #last = new Map<string, number>();

  /** The name, or the name with a number that makes it another. */
  free(name: string): string {
    let free = name;
    let number = this.#last.get(name) ?? 1;
    while (this.#taken.has(free)) free = `${name}_${++number}`;
    this.#last.set(name, number);
    this.#taken.add(free);
    return free;
  }
}
