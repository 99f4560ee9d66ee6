export { DenseIndex, type DenseQuery } from "./dense-index.ts";
export { readModel, type WordVectors } from "./model.ts";
