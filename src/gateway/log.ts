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
      write(`${JSON.stringify({ time: new Date().toISOString(), level: own, message, ...fields })}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
