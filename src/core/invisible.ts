/** Characters that a screen does not show, or that change how others are shown; line breaks and tabs are seen well enough. */
const UNSEEN = /(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** The text with everything in it that cannot be seen written out: `\\u{200b}`. For people who review what others wrote. */
export function showInvisible(text: string): string {
  return text.replaceAll(UNSEEN, (found) => `\\u{${found.codePointAt(0)?.toString(16).padStart(4, "0")}}`);
}
