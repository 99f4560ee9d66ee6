/** Fields of every log line. */
interface Entry {
  readonly time: string;
  readonly level: string;
  readonly message: string;
}

/** Formats a JSON log line for a terminal: time, level, message and fields. */
export function readableLine(line: string): string {
  const { time, level, message, ...fields } = JSON.parse(line) as Entry;
  const known = Object.entries(fields).map(([key, value]) => `${key}=${shown(value)}`);
  return [time.slice(11, 19), level.padEnd(5), message, ...known].join(" ");
}

/** In quotes unless it is a plain word, so that a value cannot look like another field. */
function shown(value: unknown): string {
  return typeof value === "string" && /^[\w@%+:,./-]+$/.test(value) ? value : JSON.stringify(value);
}
