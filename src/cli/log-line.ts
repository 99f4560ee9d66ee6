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
  return [time.slice(11, 19), level.padEnd(5), message, ...known].join(" ");
}

/** In quotes unless it is a plain word, so that what others wrote stays in its place. */
function shown(value: unknown): string {
  return typeof value === "string" && /^[\w@%+:,./-]+$/.test(value) ? value : JSON.stringify(value);
}
