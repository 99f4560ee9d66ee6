import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedTime } from "../../../test/support/call-time.ts";
import { WireEnd } from "../../../test/support/call-wire.ts";
import { CallError, ImportError } from "../../core/index.ts";
import { type Connection, createConnection } from "../../protocol/index.ts";
import { followChanges, listAll, listNamed, paced } from "./services.ts";

/** A connection whose other side answers as it likes. */
function answering(answer: (input: { readonly cursor?: string }) => unknown): Connection {
  return { call: async (_operation: string, input: object) => answer(input) } as unknown as Connection;
}

const isDiscovery = (pattern: RegExp) => (error: unknown) =>
  error instanceof ImportError && error.code === "DISCOVERY_FAILED" && pattern.test(error.message);

test("all pages of a node's list are read by their cursors", async () => {
  const names = Array.from({ length: 1_203 }, (_, at) => `box/${String(at).padStart(5, "0")}`);
  const asked: unknown[] = [];
  const connection = answering((input) => {
    asked.push(input);
    const rest = names.filter((name) => name > (input.cursor ?? ""));
    const page = rest.slice(0, 500);
    return {
      operations: page.map((name) => ({ name })),
      ...(rest.length > 500 && { nextCursor: page.at(-1) }),
    };
  });
  const listed = (await listAll(connection, {})) as { name: string }[];
  assert.deepEqual(
    listed.map(({ name }) => name),
    names,
  );
  assert.deepEqual(asked, [
    { full: true, limit: 500 },
    { full: true, limit: 500, cursor: "box/00499" },
    { full: true, limit: 500, cursor: "box/00999" },
  ]);
  assert.deepEqual(
    await listNamed(
      answering((input) => ({ operations: [input] })),
      ["a/b"],
      {},
    ),
    [{ full: true, names: ["a/b"] }],
  );
});

test("a node's list that does not end, or is not a list, is refused", async () => {
  let at = 0;
  const endless = {
    "the same cursor again": () => ({ operations: [{}], nextCursor: "same" }),
    "pages with nothing in them": () => ({ operations: [], nextCursor: `c${at++}` }),
  };
  for (const [title, answer] of Object.entries(endless))
    await assert.rejects(listAll(answering(answer), {}), isDiscovery(/do not come to an end/), title);
  const growing = answering(() => ({
    operations: Array(50).fill({}),
    nextCursor: String(++at).padStart(9, "0"),
  }));
  await assert.rejects(
    listAll(growing, {}, { operations: 200, bytes: 1_000_000 }),
    isDiscovery(/more than 200/),
  );
  await assert.rejects(
    listAll(growing, {}, { operations: 20_000, bytes: 500 }),
    isDiscovery(/larger than 500/),
  );
  for (const answer of [null, 7, [], {}, { operations: {} }])
    await assert.rejects(
      listAll(
        answering(() => answer),
        {},
      ),
      isDiscovery(/does not answer with operations/),
    );
});

test("a node that never confirms the subscription to changes is not waited for for ever", async () => {
  const [here, there] = [new WireEnd({ capacity: 10_000 }), new WireEnd({ capacity: 10_000 })];
  here.join(there);
  there.open({ message: () => {}, drained: () => {}, closed: () => {} });
  const connection = createConnection({ transport: here, timers: new SimulatedTime() });
  const follower = {
    changed: () => assert.fail("Nothing has changed."),
    lost: () => assert.fail("It never began."),
  };
  const isLate = (error: unknown) => error instanceof CallError && error.code === "TIMEOUT";
  await assert.rejects(followChanges(connection, {}, follower, 20), isLate);
  assert.equal(connection.pending().outgoing, 0, "the other side is told that the caller has gone");
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("paced work runs at once, and then not before a rest, however often it is requested", async () => {
  const seen: string[] = [];
  const rested: (() => void)[] = [];
  let finish = () => {};
  const tell = paced(
    () => {
      seen.push("work");
      return new Promise((resolve) => {
        finish = () => resolve(20);
      });
    },
    (milliseconds) => {
      seen.push(`rest ${milliseconds}`);
      return new Promise((resolve) => rested.push(resolve));
    },
  );
  tell();
  assert.deepEqual(seen, ["work"]);
  for (let times = 0; times < 1_000; times++) tell();
  finish();
  await turn();
  for (let times = 0; times < 1_000; times++) tell();
  assert.deepEqual(seen, ["work", "rest 180"]);
  rested.shift()?.();
  await turn();
  assert.deepEqual(seen, ["work", "rest 180", "work"]);
  finish();
  await turn();
  rested.shift()?.();
  await turn();
  assert.deepEqual(seen, ["work", "rest 180", "work", "rest 180"], "nothing more was told");
  tell();
  assert.equal(seen.at(-1), "work");
});
