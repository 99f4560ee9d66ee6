import { defineOperation, definePlugin, type SourceSet } from "../../src/core.ts";
import { ECHO_SCHEMA, echo } from "../servers/echo.ts";
import { makeOperations } from "./operations.ts";

/** The called operation among a thousand others. */
export function echoSources(): readonly SourceSet[] {
  const operation = defineOperation({
    name: "bench/echo",
    type: "query",
    description: "Answers with the text that came in.",
    inputSchema: ECHO_SCHEMA,
    handler: echo,
  });
  const others = makeOperations(1_000).map(({ registration }) => registration);
  return [
    definePlugin({ name: "bench", operations: [operation] }),
    definePlugin({ name: "others", operations: others }),
  ];
}
