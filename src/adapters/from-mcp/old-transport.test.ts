import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, eventStream, scriptedFetch } from "../../../test/support/scripted-upstream/index.ts";
import { SILENT_LOG } from "../../core/index.ts";
import { createMcpSource } from "./mcp-source.ts";
import { speaksOldTransport } from "./old-transport.ts";

const URL_OF_SERVER = new URL("https://example.com/sse");
const OPENING = "event: endpoint\ndata: /messages?session=1\n\n";

test("a server of the old transport is known by its first event, to whoever shows the credential", async () => {
  const looked = async (answer: Answer, credential: object = {}) => {
    const { outbound, seen } = scriptedFetch("legacy", answer);
    const found = await speaksOldTransport({ url: URL_OF_SERVER, outbound, ...credential });
    return { found, seen };
  };
  const opens: Answer = ({ headers }) =>
    headers.get("authorization") === "Bearer secret" || headers.get("x-key") === "secret"
      ? eventStream(OPENING)
      : new Response(null, { status: 401 });
  assert.equal((await looked(opens, { token: "secret" })).found, true);
  assert.equal((await looked(opens, { token: "secret", tokenHeader: "X-Key" })).found, true);
  assert.equal((await looked(opens)).found, false);
  assert.equal((await looked(() => eventStream("data: {}\n\n"))).found, false);
  assert.equal((await looked(() => new Response(OPENING))).found, false);
  assert.equal((await looked(() => Promise.reject(new Error("away")))).found, false);
  const { seen } = await looked(() => eventStream(OPENING));
  assert.deepEqual([seen[0]?.http, seen[0]?.headers.get("accept")], ["GET", "text/event-stream"]);
});

test("a source of the old transport says what it is and what to do", async (t) => {
  const { outbound } = scriptedFetch("legacy", ({ http }) =>
    http === "GET" ? eventStream(OPENING) : new Response(null, { status: 405 }),
  );
  const made = createMcpSource(
    {
      name: "old",
      url: URL_OF_SERVER,
      external: ["*"],
      scopes: [],
      public: false,
      trustAnnotations: false,
      timeoutMs: 30_000,
      refreshMs: 300_000,
      outbound,
      version: "0",
      log: SILENT_LOG,
    },
    () => {},
  );
  t.after(() => made.close());
  await made.firstAttempt;
  assert.deepEqual(made.health(), {
    state: "unhealthy",
    code: "DISCOVERY_FAILED",
    reason:
      "https://example.com/sse speaks the old SSE transport of MCP. See whether it has an address for streamable HTTP, often /mcp; if not, put a bridge before it.",
  });
});
