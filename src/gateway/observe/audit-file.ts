import { closeSync, openSync, writeSync } from "node:fs";
import type { Audit, Log, Redactor, UnknownRecord } from "../../core/index.ts";
import { jsonLine } from "../log.ts";

/** What an audit keeps beside who did what. */
export interface AuditFileOptions {
  readonly path: string;
  readonly inputs: boolean;
  readonly outputs: boolean;
  readonly log: Log;
  /** Takes all secrets out of what is kept of inputs and outputs. */
  readonly redactor: () => Redactor;
}

/** An audit that is written to a file. */
export interface AuditFile {
  readonly audit: Audit;
  /** Writes what waits. */
  flush(): void;
}

/** Lines wait at most so long, or until there are so many characters, so that a call waits for no disk. */
const WRITE_AFTER_MS = 100;
const MAX_WAITING = 65_536;

/**
 * Adds a line of JSON to a file for every call. The file is only ever added to, and only its owner may read it;
 * it is opened anew for each write, so that it can be moved away at any time. Throws where it cannot be opened.
 */
export function openAuditFile({ path, inputs, outputs, log, redactor }: AuditFileOptions): AuditFile {
  let waiting = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failing = false;
  append(path, "");

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const lines = waiting;
    waiting = "";
    try {
      if (lines !== "") append(path, lines);
      failing = false;
    } catch (error) {
      if (!failing) log.error("The audit cannot be written", { file: path, error: String(error) });
      failing = true;
    }
  }

  return {
    audit(entry, content) {
      const { startedAt, span, ...facts } = entry;
      const line = {
        time: new Date(startedAt).toISOString(),
        ...facts,
        ...(span && { traceId: span.traceId, spanId: span.spanId }),
      };
      const asked = {
        ...(inputs && { input: content.input }),
        ...(outputs && { output: content.output }),
      };
      waiting += withContent(line, asked, redactor());
      if (waiting.length > MAX_WAITING) flush();
      else timer ??= setTimeout(flush, WRITE_AFTER_MS);
    },
    flush,
  };
}

/** What an operation hands to another need not be JSON; that it was called is told all the same. */
function withContent(line: UnknownRecord, content: UnknownRecord, redactor: Redactor): string {
  try {
    return jsonLine({ ...line, ...redactor.value(content) });
  } catch {
    return jsonLine({ ...line, contentLeftOut: true });
  }
}

function append(path: string, lines: string): void {
  const file = openSync(path, "a", 0o600);
  try {
    writeSync(file, lines);
  } finally {
    closeSync(file);
  }
}
