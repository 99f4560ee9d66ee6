import { defineOperation, type JsonSchema, type Registration, type SourceSet } from "../../src/core.ts";
import type { Tool } from "./read-set.ts";

/** Operations of the product for tools of the sets, and which id stands behind which name. */
export interface Imported {
  readonly sources: readonly SourceSet[];
  readonly idOf: ReadonlyMap<string, string>;
}

/** Brings tools in as an adapter would: one source and one namespace for each server. */
export function toSources(tools: readonly Tool[]): Imported {
  const servers = new Map<string, { readonly first: Tool; readonly registrations: Registration[] }>();
  const idOf = new Map<string, string>();
  for (const tool of tools) {
    const namespace = safe(tool.server) || "tools";
    const name = unused(`${namespace}/${safe(tool.name) || "tool"}`, idOf);
    idOf.set(name, tool.id);
    const registration = registrationOf(tool, name);
    const server = servers.get(namespace);
    if (server) server.registrations.push(registration);
    else servers.set(namespace, { first: tool, registrations: [registration] });
  }
  const sources = [...servers].map(([name, { first, registrations }]) => ({
    source: {
      name,
      ...(first.serverTitle && { title: first.serverTitle }),
      ...(first.serverDescription && { description: first.serverDescription }),
    },
    registrations,
  }));
  return { sources, idOf };
}

function registrationOf(tool: Tool, name: string): Registration {
  return defineOperation({
    name,
    type: "mutation",
    description: tool.description ?? "",
    ...(isSchema(tool.inputSchema) && { inputSchema: tool.inputSchema }),
    handler: () => null,
  });
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a name may not have becomes an underscore. */
function safe(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9_.-]+/g, "_")
    .replace(/^[.-]+/, "")
    .slice(0, 90);
}

function unused(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}_${number}`;
  return free;
}
