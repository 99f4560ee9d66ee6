export type { ConfiguredSurface } from "../gateway/facets/index.ts";
export type { Difference } from "../gateway/lock/index.ts";
export { type Catalogue, catalogueOf, loadCatalogue } from "./catalogue.ts";
export { type LockReview, reviewLock } from "./lock-review.ts";
export { type ServedGateway, serveConfig } from "./serve.ts";
