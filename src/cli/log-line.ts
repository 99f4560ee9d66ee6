/** What every line of a log has. */
interface Entry {
  readonly time: string;
  readonly level: string;
  readonly message: string;
}

/** A line of the log, which is JSON, as somebody at a terminal reads it: when, how bad, what, and what is known about it. */
export function readableLine(line: string): string {
  const { time, level, message, ...fields } = JSON.parse(line) as Entry;
  const known = Object.entries(fields).map(([key, value]) => `${key}=${shown(value)}`);
  return `${[time.slice(11, 19), level.padEnd(5), message, ...known].join(" ")}\n`;
}

/** In quotes unless it is a plain word; what others wrote must not steer the terminal. */
function shown(value: unknown): string {
  if (typeof value === "string" && /^[\w@%+:,./-]+$/.test(value)) return value;
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
