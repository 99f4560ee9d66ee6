/** An output for people: strings unchanged, MCP content block by block, everything else as JSON. */
export function textOfOutput(output: unknown): string {
  if (typeof output === "string") return output;
  const content = contentOf(output);
  return content ? content.map(textOfBlock).join("\n") : (JSON.stringify(output, null, 2) ?? "");
}

interface Block {
  readonly type: string;
  readonly text?: unknown;
  readonly mimeType?: unknown;
  readonly data?: unknown;
}

function contentOf(output: unknown): readonly Block[] | undefined {
  if (typeof output !== "object" || output === null || Object.keys(output).length !== 1) return undefined;
  const { content } = output as { readonly content?: unknown };
  const isBlock = (each: unknown) => typeof each === "object" && each !== null && "type" in each;
  return Array.isArray(content) && content.every(isBlock) ? (content as readonly Block[]) : undefined;
}

function textOfBlock(block: Block): string {
  if (block.type === "text" && typeof block.text === "string") return block.text;
  if (typeof block.data !== "string") return JSON.stringify(block, null, 2);
  const bytes = Math.floor((block.data.length * 3) / 4);
  return `[${block.type}, ${String(block.mimeType ?? "unknown kind")}, about ${bytes} bytes; --json prints it]`;
}
