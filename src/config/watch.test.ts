import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { watchConfig } from "./watch.ts";

function temporary(t: TestContext): { readonly directory: string; readonly file: string } {
  const directory = mkdtempSync(join(tmpdir(), "pinhole-watch-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "pinhole.yaml");
  writeFileSync(file, "deny: []\n");
  return { directory, file };
}

/** A watched file whose directory reports when the test says so, and whose clock stands still. */
function watched(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const place = temporary(t);
  let event = () => {};
  let fail: (error: Error) => void = () => {};
  const seen = { changes: 0, errors: 0, closed: false };
  const stop = watchConfig(place.file, () => seen.changes++, {
    debounceMs: 50,
    onError: () => seen.errors++,
    watchDirectory: (_directory, onEvent) => {
      event = onEvent;
      return {
        on: (_name, listener) => {
          fail = listener;
        },
        close: () => {
          seen.closed = true;
        },
      };
    },
  });
  const happen = (milliseconds: number) => {
    event();
    t.mock.timers.tick(milliseconds);
  };
  return { ...place, seen, stop, happen, fail: () => fail(new Error("gone")) };
}

test("a change on the disk is reported, also if the file is replaced by another", async (t) => {
  const { directory, file } = temporary(t);
  const events = new EventEmitter();
  t.after(watchConfig(file, () => events.emit("change"), { debounceMs: 1 }));
  // The watcher does not keep the process alive, so the test has to.
  const alive = setInterval(() => {}, 1000);
  t.after(() => clearInterval(alive));

  const written = once(events, "change");
  writeFileSync(file, "deny: [a]\n");
  await written;
  const replaced = once(events, "change");
  writeFileSync(join(directory, "new"), "deny: [a, b]\n");
  renameSync(join(directory, "new"), file);
  await replaced;
});

test("several steps of one save are reported as one change", (t) => {
  const { file, seen, happen } = watched(t);
  writeFileSync(file, "deny: [a]\n");
  happen(49);
  writeFileSync(file, "deny: [a, b]\n");
  happen(49);
  assert.equal(seen.changes, 0);
  happen(50);
  assert.equal(seen.changes, 1);
});

test("changes of other files are not reported", (t) => {
  const { directory, seen, happen } = watched(t);
  writeFileSync(join(directory, "other"), "x");
  happen(50);
  assert.equal(seen.changes, 0);
});

test("other files that are written all the time do not delay a change", (t) => {
  const { directory, file, seen, happen } = watched(t);
  writeFileSync(file, "deny: [a]\n");
  for (const line of ["one", "two"]) {
    happen(25);
    writeFileSync(join(directory, "audit.jsonl"), line);
  }
  happen(1);
  assert.equal(seen.changes, 1);
});

test("a missing file is not reported until it is back", (t) => {
  const { file, seen, happen } = watched(t);
  rmSync(file);
  happen(50);
  assert.equal(seen.changes, 0);
  writeFileSync(file, "deny: [back]\n");
  happen(50);
  assert.equal(seen.changes, 1);
});

test("a link to another file is reported as a change", (t) => {
  const { directory, file, seen, happen } = watched(t);
  writeFileSync(join(directory, "mounted"), "deny: [mounted]\n");
  rmSync(file);
  symlinkSync("mounted", file);
  happen(50);
  assert.equal(seen.changes, 1);
});

test("nothing is reported after watching has stopped, and errors of the watcher are not thrown", (t) => {
  const { file, seen, stop, happen, fail } = watched(t);
  fail();
  assert.equal(seen.errors, 1);
  writeFileSync(file, "deny: [a]\n");
  happen(0);
  stop();
  t.mock.timers.tick(100);
  assert.deepEqual(seen, { changes: 0, errors: 1, closed: true });
});
