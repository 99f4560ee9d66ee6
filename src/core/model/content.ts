import { isRecord, type JsonSchema } from "./json.ts";

/** Content that a model reads as it is: text, an image, a sound, a document. */
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

/** True for an output that is content: exactly `{content: [blocks]}` with complete blocks. */
export function isContentOutput(output: unknown): output is ContentOutput {
  if (!isRecord(output) || !Array.isArray(output.content) || Object.keys(output).length !== 1) return false;
  return output.content.length > 0 && output.content.every(isContentBlock);
}

function isContentBlock(block: unknown): block is ContentBlock {
  if (!isRecord(block) || typeof block.type !== "string") return false;
  return Object.hasOwn(FITS, block.type) && (FITS[block.type]?.(block as ContentBlock) ?? false);
}

const TEXT: JsonSchema = { type: "string" };

/** The schema of one block. It requires no property, because data without a declared schema may look like content. */
const BLOCK: JsonSchema = {
  anyOf: [
    { properties: { type: { const: "text" }, text: TEXT } },
    { properties: { type: { enum: ["image", "audio"] }, data: TEXT, mimeType: TEXT } },
    { properties: { type: { const: "resource_link" }, uri: TEXT, name: TEXT } },
    {
      properties: {
        type: { const: "resource" },
        resource: { properties: { uri: TEXT, mimeType: TEXT, text: TEXT, blob: TEXT } },
      },
    },
    // Kinds that later revisions of MCP add.
    { properties: { type: { not: { enum: Object.keys(FITS) } } } },
  ],
};

/**
 * The output of operations that declare none and answer with content blocks. Upstreams also answer with data of any
 * shape there, so it says what `content` holds and requires nothing. The title is what signatures show.
 */
export const CONTENT_OUTPUT: JsonSchema = Object.freeze({
  title: "{content: [{type, text?}]}",
  properties: { content: { items: BLOCK } },
});
