import { statSync, watch } from "node:fs";
import { dirname } from "node:path";

/** What reports that something happened in a directory. */
interface DirectoryWatcher {
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): void;
}

/** How a file is watched. */
interface WatchOptions {
  /** How long nothing may happen before a change is reported; editors write in several steps. */
  readonly debounceMs?: number;
  /** Whether it is a change that the file is gone; not unless it is true. */
  readonly reportGone?: boolean;
  /** Told when the directory can no longer be watched. */
  readonly onError?: (error: Error) => void;
  /** Watches a directory; that of Node unless given. */
  readonly watchDirectory?: (directory: string, onEvent: () => void) => DirectoryWatcher;
}

/**
 * Calls `onChange` after the file has changed, until the answered function is called. The directory is
 * watched, not the file: many editors, and mounted configurations, put another file in its place.
 */
export function watchConfig(file: string, onChange: () => void, options: WatchOptions = {}): () => void {
  const { debounceMs = 100, onError = () => {}, watchDirectory = watchByNode, reportGone = false } = options;
  let last = fingerprintOf(file);
  let newest = last;
  let timer: NodeJS.Timeout | undefined;

  const watcher = watchDirectory(dirname(file), () => {
    const current = fingerprintOf(file);
    // Other files may be written without a pause, such as an audit; only this one must come to rest.
    if (current === newest) return;
    newest = current;
    clearTimeout(timer);
    timer = setTimeout(compare, debounceMs).unref();
  });
  watcher.on("error", onError);

  function compare(): void {
    const current = fingerprintOf(file);
    // A file that is gone is one that is about to come back, or there is nothing to read.
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

/** What differs once a file was written or replaced, also through a link. */
function fingerprintOf(file: string): string | undefined {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs].join();
  } catch {
    return undefined;
  }
}
