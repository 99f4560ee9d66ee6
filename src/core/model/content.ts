import { isRecord } from "./json.ts";

/** A piece of content that a model can take in as it is: text, an image, a sound, a document. */
export type ContentBlock = { readonly type: string; readonly [key: string]: unknown };

/** An output that is content, not data: wires that know content blocks show it natively. */
export interface ContentOutput {
  readonly content: readonly ContentBlock[];
}

const FITS: Readonly<Record<string, (block: ContentBlock) => boolean>> = {
  text: ({ text }) => typeof text === "string",
  image: ({ data, mimeType }) => typeof data === "string" && typeof mimeType === "string",
  audio: ({ data, mimeType }) => typeof data === "string" && typeof mimeType === "string",
  resource_link: ({ uri, name }) => typeof uri === "string" && typeof name === "string",
  resource: ({ resource }) =>
    isRecord(resource) &&
    typeof resource.uri === "string" &&
    (typeof resource.text === "string" || typeof resource.blob === "string"),
};

/** Whether an output is content: exactly `{content: [blocks]}` with blocks that are whole. */
export function isContentOutput(output: unknown): output is ContentOutput {
  if (!isRecord(output) || !Array.isArray(output.content) || Object.keys(output).length !== 1) return false;
  return output.content.length > 0 && output.content.every(isContentBlock);
}

function isContentBlock(block: unknown): block is ContentBlock {
  if (!isRecord(block) || typeof block.type !== "string") return false;
  return Object.hasOwn(FITS, block.type) && (FITS[block.type]?.(block as ContentBlock) ?? false);
}
