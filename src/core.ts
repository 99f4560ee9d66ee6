/** `pinhole/core`: registry and dispatch for programs that embed them. No MCP package is needed. */
export * from "./core/index.ts";
export { createSchemaValidator, createSelector } from "./formats/index.ts";
export { createRuntime, type Runtime, type RuntimeOptions } from "./runtime/index.ts";
export {
  createSearchIndex,
  createServices,
  type Explanation,
  type SearchIndex,
  type SearchIndexOptions,
  type SearchRequest,
  type SearchResult,
  type ServicesOptions,
  type WordScore,
} from "./search/index.ts";
