import type { ModelParts } from "../../src/services/search/dense/model.ts";

/** Each row as bytes, with what to multiply them by: the weight of the word is in it. */
export function quantiseRows(
  vectors: Float32Array,
  weights: Float32Array,
  dimensions: number,
): Pick<ModelParts, "scales" | "vectors"> {
  const bytes = new Int8Array(vectors.length);
  const scales = new Float32Array(weights.length);
  for (let row = 0; row < weights.length; row++) {
    const part = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    const most = mostOf(part);
    scales[row] = ((weights[row] ?? 0) * most) / 127;
    part.forEach((value, at) => {
      bytes[row * dimensions + at] = Math.round((value / most) * 127);
    });
  }
  return { scales, vectors: bytes };
}

/** All numbers as bytes, with one number to multiply them by. */
export function quantise(vectors: Float32Array): Pick<ModelParts, "subwordScale" | "subwords"> {
  const most = mostOf(vectors);
  return {
    subwordScale: most / 127,
    subwords: Int8Array.from(vectors, (value) => Math.round((value / most) * 127)),
  };
}

function mostOf(values: Float32Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
}
