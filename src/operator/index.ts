export { type ActionAnswer, type Catalogue, catalogueOf, loadCatalogue, type McpPost } from "./catalogue.ts";
export { type LockReview, reviewLock } from "./lock-review.ts";
