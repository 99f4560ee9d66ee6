/** A count in words: "1 tool", "1,200 operations". */
export function count(howMany: number, what: string): string {
  return `${number(howMany)} ${what}${howMany === 1 ? "" : "s"}`;
}

/** A number as people read it. */
export function number(value: number): string {
  return value.toLocaleString("en");
}

/** The text in lines of at most so many characters, broken between words. */
export function wrap(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}

/** A text as one word for a shell; quoted only if needed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~…-]+$/.test(text) ? text : inQuotes(text);
}

/** A text in single quotes, as shells read them. */
export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
