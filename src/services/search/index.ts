export type { Explanation, WordScore } from "./ranking.ts";
export {
  createSearchIndex,
  type SearchIndex,
  type SearchIndexOptions,
  type SearchRequest,
  type SearchResult,
} from "./search-index.ts";
export { createServices, renewServices, type ServicesOptions } from "./services.ts";
