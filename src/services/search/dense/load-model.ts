import { readFile } from "node:fs/promises";
import type { Slices } from "../../../core/index.ts";
import { createWordVectors, MODEL_FILE, parseModel, type WordVectors } from "./model.ts";

/** Reads the word vectors that come with the package, in slices. */
export async function loadModel(slices: Slices): Promise<WordVectors> {
  const bytes = await readFile(MODEL_FILE);
  return slices.run(createWordVectors(parseModel(bytes)));
}
