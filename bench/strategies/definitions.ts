import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Tool } from "../search/read-set.ts";

/** The part of a tool that a client hands to its model. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

/** A tool as a client shows it that is connected to its server directly: the server's name keeps equal names apart. */
export function toDefinition({ server, name, description, inputSchema }: Tool): Definition {
  return {
    name: `${server}__${name}`,
    description,
    inputSchema: inputSchema ?? { type: "object", properties: {} },
  };
}

/** Everything that a plain filter can match of a tool. */
export function textOf(tool: Tool): string {
  return [tool.server, tool.name, tool.description, textOfSchema(tool.inputSchema)].join(" ");
}

/** Tokens of a value as compact JSON, by the o200k vocabulary. */
export function tokensOf(value: unknown): number {
  return countTokens(typeof value === "string" ? value : JSON.stringify(value));
}

/** Tokens of what a model writes to call a tool. */
export function tokensOfCall(name: string, input: object): number {
  return tokensOf({ name, arguments: input });
}

function textOfSchema(schema: unknown): string {
  const { properties } = (schema ?? {}) as { readonly properties?: Readonly<Record<string, unknown>> };
  return Object.entries(properties ?? {})
    .map(([name, property]) => {
      const { description } = (property ?? {}) as { readonly description?: unknown };
      return `${name} ${typeof description === "string" ? description : ""}`;
    })
    .join(" ");
}
