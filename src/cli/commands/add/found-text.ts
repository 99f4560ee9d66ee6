import type { InspectedSource } from "../../../operator/inspect/index.ts";
import { count, number } from "../../figures.ts";

const SHOWN_NAMES = 20;
const SHOWN_WARNINGS = 10;
const KINDS = {
  mcp: "An MCP server",
  openapi: "An API with an OpenAPI document",
  peer: "Another node (a peer)",
  plugin: "A plugin",
} as const;

/** Text about an inspected source, for people. */
export function explainFound(found: InspectedSource): string {
  const { kind, title, operations, warnings, tokens, locked } = found;
  const head = title === undefined ? KINDS[kind] : `${KINDS[kind]}: ${title}`;
  if (kind === "peer" && operations.length === 0 && warnings.length > 0)
    return `${head}. What it offers is seen once both nodes run. ${warnings.join(" ")}`.trim();
  if (locked) return `${head}. It wants a credential before it says what it offers.`;
  const width = Math.max(...operations.map(({ name }) => name.length), 0);
  return [
    head,
    `${count(operations.length, "operation")}${countsOf(operations)}.`,
    `As tools of their own they would cost a model about ${number(tokens)} tokens; behind Pinhole they add none.`,
    "",
    ...operations.slice(0, SHOWN_NAMES).map(({ name, type }) => `  ${name.padEnd(width)}  ${type}`),
    ...more(operations.length - SHOWN_NAMES),
    ...(warnings.length === 0 ? [] : ["", `Warnings: ${warnings.length}`]),
    ...warnings.slice(0, SHOWN_WARNINGS).map((warning) => `  ${warning}`),
    ...more(warnings.length - SHOWN_WARNINGS),
  ].join("\n");
}

function countsOf(operations: InspectedSource["operations"]): string {
  const counts = (["query", "mutation", "subscription"] as const)
    .map((type) => [type, operations.filter((operation) => operation.type === type).length] as const)
    .filter(([, count]) => count > 0)
    .map(([type, count]) => `${type} ${count}`);
  return counts.length > 0 ? ` (${counts.join(", ")})` : "";
}

function more(count: number): readonly string[] {
  return count > 0 ? [`  … and ${count} more`] : [];
}
