import { dirname } from "node:path";
import { ConfigError } from "../config/index.ts";
import {
  type Audit,
  type AuditGate,
  CallError,
  type Log,
  type Redactor,
  type UnknownRecord,
} from "../core/index.ts";
import { appendLines, appendLinesSafely, dropTornLine, type Write } from "./append-lines.ts";
import { jsonLine } from "./log.ts";

/** Options of an audit file. */
export interface AuditFileOptions {
  readonly path: string;
  readonly inputs: boolean;
  readonly outputs: boolean;
  /** Refuses calls while their records cannot be written. */
  readonly required?: boolean;
  readonly log: Log;
  /** Removes all secrets from kept inputs and outputs. */
  readonly redactor: () => Redactor;
  /** Instead of that of Node. */
  readonly write?: Write;
}

/** State of the writing of records. */
export interface AuditState {
  /** Records that wait because they could not be written. */
  readonly waiting: number;
  /** Records lost because memory was full while the file could not be written. */
  readonly lost: number;
}

/** An audit that is written to a file. */
export interface AuditFile {
  readonly audit: Audit;
  /** Set if records are required. */
  readonly gate: AuditGate | undefined;
  state(): AuditState;
  /** Writes all waiting records. */
  flush(): void;
}

interface Batch {
  readonly text: string;
  readonly records: string[];
  /** Records that are not in it, because there was no room for them. */
  readonly gone: number;
}

/** Lines wait at most so long, or until there are so many characters, so that a call waits for no disk. */
const WRITE_AFTER_MS = 100;
const MAX_WAITING = 65_536;
/** While nothing can be written, so many characters are kept, and it is tried again so often. */
const MAX_KEPT = 8_388_608;
const TRY_AGAIN_MS = 1_000;

/**
 * Adds a line of JSON to a file for every call. The file is only ever added to, and only its owner may read it;
 * it is reopened for each write, so that it can be moved away at any time. Throws if it cannot be opened.
 */
export function openAuditFile(options: AuditFileOptions): AuditFile {
  const { path, inputs, outputs, required = false, log, redactor, write } = options;
  let lines: string[] = [];
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failure: string | undefined;
  let lost = 0;
  let lostBefore = 0;
  let writing: Promise<void> | undefined;
  let nextWriting: Promise<void> | undefined;
  tryAuditFile(path);
  const torn = dropTornLine(path);
  if (torn > 0) log.warn("The audit ended in half a record, which was removed", { file: path, bytes: torn });

  function keep(line: string): void {
    if (failure !== undefined && length + line.length > MAX_KEPT) {
      lost++;
      return;
    }
    lines.push(line);
    length += line.length;
  }

  /** All waiting records, and the number of lost ones. */
  function takeAll(): Batch {
    clearTimeout(timer);
    timer = undefined;
    const records = lines;
    const gone = lost - lostBefore;
    lines = [];
    length = 0;
    lostBefore = lost;
    const note = gone > 0 ? jsonLine({ time: new Date().toISOString(), lostRecords: gone }) : "";
    return { text: records.join("") + note, records, gone };
  }

  function succeeded({ gone }: Batch): void {
    if (failure === undefined) return;
    failure = undefined;
    log.warn("The audit is written again", { file: path, lostRecords: gone });
  }

  function failed({ records, gone }: Batch, error: unknown): void {
    lines = [...records, ...lines];
    length = lines.reduce((sum, line) => sum + line.length, 0);
    lostBefore -= gone;
    if (failure === undefined)
      log.error("The audit cannot be written; records wait in memory and are tried again", {
        file: path,
        error: String(error),
      });
    failure = String(error);
    timer ??= setTimeout(flush, TRY_AGAIN_MS).unref();
  }

  function flush(): void {
    const batch = takeAll();
    try {
      if (batch.text !== "") appendLines(path, batch.text, { write });
      succeeded(batch);
    } catch (error) {
      failed(batch, error);
    }
  }

  async function writeSafely(): Promise<void> {
    const batch = takeAll();
    if (batch.text === "") return;
    try {
      await appendLinesSafely(path, batch.text, { write });
      succeeded(batch);
    } catch (error) {
      failed(batch, error);
      throw withheld();
    }
  }

  /** One write at a time; all that come meanwhile share the next one. */
  function written(): Promise<void> {
    nextWriting ??= Promise.resolve(writing?.catch(() => {})).then(() => {
      nextWriting = undefined;
      writing = writeSafely();
      return writing;
    });
    return nextWriting;
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
      keep(withContent(line, asked, redactor()));
      // While nothing can be written, each record that comes would only be in the way of the calls.
      if (failure === undefined && !required && length > MAX_WAITING) flush();
      else timer ??= setTimeout(required ? () => void written().catch(() => {}) : flush, WRITE_AFTER_MS);
    },
    gate: required ? { admit: () => failure !== undefined && refuse(), written } : undefined,
    state: () => ({ waiting: failure === undefined ? 0 : lines.length, lost }),
    flush,
  };
}

function refuse(): never {
  throw new CallError(
    "UNAVAILABLE",
    "Nothing was called, because its record cannot be written at the moment and this gateway requires one. Try again later, or tell its operator.",
  );
}

function withheld(): CallError {
  return new CallError(
    "UNAVAILABLE",
    "The call may have run, but its record could not be written, and this gateway answers nothing without one. Tell its operator, and check before you repeat the call.",
    { retryable: false },
  );
}

/** Operations can pass values that are not JSON to each other; the call is recorded all the same. */
function withContent(line: UnknownRecord, content: UnknownRecord, redactor: Redactor): string {
  try {
    return jsonLine({ ...line, ...redactor.value(content) });
  } catch {
    return jsonLine({ ...line, contentLeftOut: true });
  }
}

/** Opens the file once; throws a ConfigError if it cannot be written. */
export function tryAuditFile(path: string): void {
  try {
    appendLines(path, "");
  } catch (error) {
    throw new ConfigError(`audit.file: ${path} cannot be written: ${whyNot(path, error)}`);
  }
}

function whyNot(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return `there is no folder ${dirname(path)}. Make it, or name a file elsewhere.`;
  if (code === "EACCES" || code === "EPERM")
    return "it is not permitted. Let the user that runs the gateway write there, or name a file elsewhere.";
  return `${message}. Name a file that can be written.`;
}
