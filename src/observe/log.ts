import type { Log, UnknownRecord } from "../core/index.ts";

/** From everything to almost nothing. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A log with all levels. */
export interface GatewayLog extends Log {
  debug(message: string, fields?: UnknownRecord): void;
  info(message: string, fields?: UnknownRecord): void;
}

/** Writes one JSON object a line: time, level, message, and what is known about it. */
export function createLog(
  level: LogLevel,
  write: (line: string) => void = (line) => process.stderr.write(line),
): GatewayLog {
  const least = LOG_LEVELS.indexOf(level);
  const at =
    (own: LogLevel) =>
    (message: string, fields: UnknownRecord = {}) => {
      if (LOG_LEVELS.indexOf(own) < least) return;
      write(jsonLine({ time: new Date().toISOString(), level: own, message, ...fields }));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** What JSON may have in it as it is, but a terminal obeys, or an eye is deceived by. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A record as one line of JSON. Names and ids of others stand in it, and whoever reads it sees all that is there. */
export function jsonLine(record: UnknownRecord): string {
  const escaped = (unshown: string) => `\\u${unshown.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `${JSON.stringify(record).replaceAll(UNSHOWN, escaped)}\n`;
}
