export { DenseIndex, type DenseQuery } from "./dense-index.ts";
export { loadModel } from "./load-model.ts";
export { createWordVectors, MODEL_FILE, parseModel, type WordVectors } from "./model.ts";
