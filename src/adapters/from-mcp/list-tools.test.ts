import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { listTools } from "./list-tools.ts";

interface Page {
  readonly tools: readonly object[];
  readonly nextCursor?: string;
}

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } });

/** What is read of a server that answers with these pages, and how often it is asked. */
async function read(pageOf: (cursor: string | undefined, asked: number) => Page) {
  let asked = 0;
  const request = async ({ params }: { params: { cursor?: string } }) => pageOf(params.cursor, asked++);
  const { tools, cut } = await listTools({ request } as unknown as Client);
  return { names: tools.map(({ name }) => name), cut: cut?.message, asked };
}

test("a list is read to its end, however its end is told", async () => {
  const second = (nextCursor?: string) => ({
    tools: [tool("b")],
    ...(nextCursor !== undefined && { nextCursor }),
  });
  for (const last of [second(), second(""), second("2")]) {
    const found = await read((cursor) =>
      cursor === undefined ? { tools: [tool("a")], nextCursor: "2" } : last,
    );
    assert.deepEqual(found, { names: ["a", "b"], cut: undefined, asked: 2 });
  }
});

test("a list without end is cut, and what was read of it is kept", async () => {
  const endless = await read((_, asked) => ({ tools: [tool(`t${asked}`)], nextCursor: String(asked) }));
  assert.deepEqual([endless.asked, endless.names.length], [2_000, 2_000]);
  assert.match(String(endless.cut), /does not end within 2000 pages.*; what follows "t1999" is left out$/);

  const many = { tools: Array.from({ length: 30_000 }, () => tool("x")) };
  const crowded = await read((_, asked) => ({ ...many, nextCursor: String(asked) }));
  assert.deepEqual([crowded.asked, crowded.names.length], [4, 100_000]);
  assert.match(String(crowded.cut), /100000 tools/);

  // In JSON each takes six bytes, so that fewer of them are many bytes.
  const long = { tools: Array.from({ length: 100 }, () => tool("x", "\u0001".repeat(33_333))) };
  const heavy = await read((_, asked) => ({ ...long, nextCursor: String(asked) }));
  assert.deepEqual([heavy.asked, heavy.names.length], [4, 335]);
  assert.match(String(heavy.cut), /67108864 bytes/);
});
