export { DenseIndex, type DenseQuery } from "./dense-index.ts";
export { loadModel } from "./load-model.ts";
export type { WordVectors } from "./model.ts";
