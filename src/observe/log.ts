import type { Log, UnknownRecord } from "../core/index.ts";

/** From everything to almost nothing. */
const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** Levels of the log. */
type LogLevel = (typeof LOG_LEVELS)[number];

/** A log with all levels. */
export interface GatewayLog extends Log {
  debug(message: string, fields?: UnknownRecord): void;
  info(message: string, fields?: UnknownRecord): void;
}

/** Writes one JSON object per line: time, level, message and fields. */
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

/** Characters that JSON does not escape but that control a terminal or deceive the eye. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A record as one line of JSON. It contains names from outside, so invisible characters are escaped. */
export function jsonLine(record: UnknownRecord): string {
  const escaped = (unshown: string) => `\\u${unshown.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `${JSON.stringify(record).replaceAll(UNSHOWN, escaped)}\n`;
}
