export { type ActionAnswer, type Catalogue, catalogueOf, loadCatalogue } from "./catalogue.ts";
export { type LockReview, reviewLock } from "./lock-review.ts";
