export { LexicalIndex, type QueryTerm, type VisibleDocuments } from "./lexical-index.ts";
export { Scores } from "./postings.ts";
export { impactOf, MOST_TIMES, shareOf, type WeighedTerms } from "./weigh.ts";
