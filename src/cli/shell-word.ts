/** A text as one word for a shell; quoted only if needed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~…-]+$/.test(text) ? text : inQuotes(text);
}

/** A text in single quotes, as shells read them. */
export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
