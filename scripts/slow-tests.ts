/** Test files that take more than about a second on an idle machine; `npm run test:quick` leaves them out. */
export const SLOW_TESTS: readonly string[] = [
  "examples/embed/embed.test.ts",
  "examples/one-mcp-server/one-mcp-server.test.ts",
  "src/adapters/from-mcp/tools.test.ts",
  "src/adapters/from-openapi/load-document.test.ts",
  "src/adapters/from-openapi/parse-document.test.ts",
  "src/cli/commands/serve/serve.test.ts",
  "src/cli/commands/subscribe/subscribe.test.ts",
  "src/cli/main.test.ts",
  "src/cli/startup.test.ts",
  "src/config/edit-text.test.ts",
  "src/core/call/composition.test.ts",
  "src/core/model/json-text.test.ts",
  "src/core/registry/view.test.ts",
  "src/formats/jmespath/steps.test.ts",
  "src/formats/json-schema/against-ajv.test.ts",
  "src/formats/json-schema/hostile-schemas.test.ts",
  "src/formats/openapi/hostile-documents.test.ts",
  "src/observe/audit-loss.test.ts",
  "src/outbound/exchange.test.ts",
  "src/outbound/fetch.test.ts",
  "src/protocol/connection-hostile.test.ts",
  "src/protocol/connection-schedules.test.ts",
  "src/protocol/frames.test.ts",
  "src/services/search/changes.test.ts",
  "src/services/search/lexical/postings.test.ts",
  "src/services/search/reply.test.ts",
  "src/services/search/schema.test.ts",
  "src/services/search/search-index.test.ts",
];

/** What is quick as a whole, beside the files above. */
export const QUICK_PLACES: readonly string[] = ["src", "examples"];
