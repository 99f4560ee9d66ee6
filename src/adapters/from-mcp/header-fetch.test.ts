import assert from "node:assert/strict";
import { test } from "node:test";
import { importUpstream } from "../../../test/support/scripted-upstream-source.ts";
import { Capabilities } from "../../core/index.ts";
import { headerFetch } from "./header-fetch.ts";

test("a server gets the credential in the header that it wants, as it is, with every request", async (t) => {
  for (const era of ["modern", "legacy"] as const) {
    const { upstream, call } = await importUpstream(
      t,
      { era },
      {
        token: "key-for-discovery",
        tokenHeader: "X-Api-Key",
        capabilities: () => new Capabilities({ token: "key-of-the-caller" }),
      },
    );
    assert.equal((await call("text")).error, undefined);
    const keys = new Set(upstream.seen.map(({ headers }) => headers["x-api-key"]));
    assert.deepEqual(keys, new Set(["key-for-discovery", "key-of-the-caller"]), era);
    assert.ok(upstream.seen.every(({ headers }) => headers.authorization === undefined));
  }
});

test("no other server than the one that it is for gets the credential", async () => {
  const sent: [string, string | null][] = [];
  const outbound = {
    fetch: async (url: string | URL, init: RequestInit = {}) => {
      sent.push([new URL(url).origin, new Headers(init.headers).get("x-api-key")]);
      return new Response();
    },
  };
  const { fetch } = headerFetch(
    outbound,
    { name: "X-Api-Key", value: "secret" },
    new URL("https://a.example/mcp"),
  );
  await fetch("https://a.example/other");
  await fetch("https://b.example/mcp");
  assert.deepEqual(sent, [
    ["https://a.example", "secret"],
    ["https://b.example", null],
  ]);
});
