/** Test files that take more than about a second on an idle machine; `npm run test:quick` leaves them out. */
export const SLOW_TESTS: readonly string[] = [
  "examples/one-mcp-server/one-mcp-server.test.ts",
  "src/cli/commands/serve.test.ts",
  "src/cli/commands/subscribe.test.ts",
  "src/cli/main.test.ts",
  "src/cli/startup.test.ts",
  "src/core/composition.test.ts",
  "src/core/nesting.test.ts",
  "src/core/view.test.ts",
  "src/formats/jmespath/steps.test.ts",
  "src/formats/json-schema/against-ajv.test.ts",
  "src/formats/json-schema/hostile-schemas.test.ts",
  "src/formats/openapi/hostile-documents.test.ts",
  "src/gateway/config/edit-text.test.ts",
  "src/gateway/documents/openapi-document.test.ts",
  "src/gateway/documents/parse-document.test.ts",
  "src/gateway/observe/audit-loss.test.ts",
  "src/outbound/exchange.test.ts",
  "src/outbound/fetch.test.ts",
  "src/protocol/connection-hostile.test.ts",
  "src/protocol/connection-schedules.test.ts",
  "src/search/changes.test.ts",
  "src/search/fit-spec.test.ts",
  "src/search/reply.test.ts",
];

/** What is quick as a whole, beside the files above. */
export const QUICK_PLACES: readonly string[] = ["src", "examples"];
