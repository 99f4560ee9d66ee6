import { statSync, watch } from "node:fs";
import { dirname } from "node:path";

/** A watcher of a directory. */
interface DirectoryWatcher {
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): void;
}

interface WatchOptions {
  /** Time without further changes before one is reported; editors write in several steps. */
  readonly debounceMs?: number;
  /** Reports a deleted file as a change, too. */
  readonly reportGone?: boolean;
  /** Called when the directory can no longer be watched. */
  readonly onError?: (error: Error) => void;
  /** Watches a directory; by Node unless given. */
  readonly watchDirectory?: (directory: string, onEvent: () => void) => DirectoryWatcher;
}

/**
 * Calls `onChange` after the file has changed, until the returned function is called. The directory is
 * watched, not the file: many editors, and mounted configurations, put another file in its place.
 */
export function watchConfig(file: string, onChange: () => void, options: WatchOptions = {}): () => void {
  const { debounceMs = 100, onError = () => {}, watchDirectory = watchByNode, reportGone = false } = options;
  let last = fingerprintOf(file);
  let newest = last;
  let timer: NodeJS.Timeout | undefined;

  const watcher = watchDirectory(dirname(file), () => {
    const current = fingerprintOf(file);
    // Other files, such as an audit, may be written all the time; only this one must come to rest.
    if (current === newest) return;
    newest = current;
    clearTimeout(timer);
    timer = setTimeout(compare, debounceMs).unref();
  });
  watcher.on("error", onError);

  function compare(): void {
    const current = fingerprintOf(file);
    // A missing file is about to come back, or there is nothing to read.
    if (current === last || (current === undefined && !reportGone)) return;
    last = current;
    onChange();
  }

  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

function watchByNode(directory: string, onEvent: () => void): DirectoryWatcher {
  return watch(directory, { persistent: false }, onEvent);
}

/** Changes when the file is written or replaced, also through a link. */
function fingerprintOf(file: string): string | undefined {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs].join();
  } catch {
    return undefined;
  }
}
