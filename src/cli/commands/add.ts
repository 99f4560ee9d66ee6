import { type OpenapiPreview, previewOpenapi } from "../../gateway/index.ts";
import { type Command, type Invocation, UsageError } from "../command.ts";

const SHOWN_NAMES = 200;
const SHOWN_WARNINGS = 20;

/** `pinhole add`: shows what an OpenAPI document would bring in. */
export const add: Command = {
  name: "add",
  summary: "Shows what an API would bring in.",
  description:
    "Reads an OpenAPI or Swagger document as `openapi:` in pinhole.yaml would, and prints what it would become: " +
    "how many operations, their names, what is wrong with the document, and what it would cost a model.",
  examples: [
    { line: "pinhole add pets ./petstore.yaml --dry-run", meaning: "Shows what the file would bring in." },
    { line: "pinhole add pets https://example.com/openapi.json --dry-run", meaning: "Reads an address." },
  ],
  arguments: [
    { name: "name", description: "Name of the source: the namespace of its operations." },
    { name: "document", description: "File or address of the document." },
  ],
  options: { "dry-run": { description: "Changes nothing; the only way for now." } },
  run: showDocument,
};

async function showDocument(invocation: Invocation): Promise<void> {
  const { arguments: given, switches, terminal, directory, stop } = invocation;
  const { name, document } = given;
  if (name === undefined || document === undefined) {
    throw new UsageError(
      "Say the name of the source and its document: pinhole add pets ./petstore.yaml --dry-run",
    );
  }
  if (!switches.has("dry-run")) {
    throw new UsageError(
      `Writing to pinhole.yaml comes later. Run it with --dry-run, then write under sources:\n\n  ${name}: { openapi: ${JSON.stringify(document)} }`,
    );
  }
  terminal.print(explain(await previewOpenapi({ name, reference: document, directory, signal: stop })));
}

function explain({ title, operations, warnings, tokens }: OpenapiPreview): string {
  const counts = (["query", "mutation", "subscription"] as const)
    .map((type) => [type, operations.filter((operation) => operation.type === type).length] as const)
    .filter(([, count]) => count > 0)
    .map(([type, count]) => `${type} ${count}`);
  const width = Math.max(...operations.map(({ name }) => name.length), 0);
  return [
    `${title ?? "A document without a title"}: ${operations.length} operations${counts.length > 0 ? ` (${counts.join(", ")})` : ""}`,
    `As tools of their own they would cost a model about ${tokens} tokens; behind Pinhole they cost nothing more.`,
    "",
    ...operations.slice(0, SHOWN_NAMES).map(({ name, type }) => `  ${name.padEnd(width)}  ${type}`),
    ...more(operations.length - SHOWN_NAMES),
    ...(warnings.length === 0 ? [] : ["", `Warnings: ${warnings.length}`]),
    ...warnings.slice(0, SHOWN_WARNINGS).map((warning) => `  ${warning}`),
    ...more(warnings.length - SHOWN_WARNINGS),
  ].join("\n");
}

function more(count: number): readonly string[] {
  return count > 0 ? [`  … and ${count} more`] : [];
}
