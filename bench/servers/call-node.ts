/** A node on the call protocol, with the operation in its registry beside a thousand others. */
import { defineOperation, definePlugin } from "../../src/core.ts";
import { startCallNode } from "../../test/support/call-node.ts";
import { makeOperations } from "../support/operations.ts";
import { ECHO_SCHEMA, echo } from "./echo.ts";

const operation = defineOperation({
  name: "bench/echo",
  type: "query",
  description: "Answers with the text that came in.",
  inputSchema: ECHO_SCHEMA,
  handler: echo,
});
const others = makeOperations(1_000).map(({ registration }) => registration);
const node = await startCallNode({
  sources: [
    definePlugin({ name: "bench", operations: [operation] }),
    definePlugin({ name: "others", operations: others }),
  ],
});
const { hostname } = new URL(node.url);
console.log(`${node.url}?tcp=${hostname}:${node.tcp.port}`);
