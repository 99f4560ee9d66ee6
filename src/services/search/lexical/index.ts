export { type Crowd, LexicalIndex, type QueryTerm } from "./lexical-index.ts";
export { Scores } from "./postings.ts";
export { impactOf, MOST_TIMES, shareOf, type WeighedTerms } from "./weigh.ts";
