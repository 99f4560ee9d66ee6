export { DenseIndex, type DenseQuery } from "./dense-index.ts";
export { createWordVectors, loadModel, MODEL_FILE, parseModel, type WordVectors } from "./model.ts";
