/** The work that every server of the bench does: answer with the text that came in. */
export const ECHO_SCHEMA = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
} as const;

/** The result of the tool. */
export function echo({ text }: { readonly text: string }): { readonly text: string } {
  return { text };
}
