/** A text as one word of a command line that can be pasted into a shell; in quotes only where it needs them. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~…-]+$/.test(text) ? text : inQuotes(text);
}

/** A text in single quotes, as shells read them. */
export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
