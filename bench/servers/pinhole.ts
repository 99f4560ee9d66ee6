/** The gateway, with the operation in its registry beside a thousand others. */
import { defineOperation, definePlugin } from "../../src/core.ts";
import { serveRuntime } from "../../test/support/serve.ts";
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
const server = await serveRuntime({
  sources: [
    definePlugin({ name: "bench", operations: [operation] }),
    definePlugin({ name: "others", operations: others }),
  ],
});
console.log(server.mcpUrl.href);
