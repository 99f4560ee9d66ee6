const SWEEPS = 12;

/** Turns vectors so that the first numbers tell the most of them apart; likeness stays as it is. */
export function rotate(
  vectors: Float32Array,
  sample: readonly Float32Array[],
  dimensions: number,
): Float32Array {
  const axes = principalAxes(sample, dimensions);
  const turned = new Float32Array(vectors.length);
  for (let row = 0; row < vectors.length; row += dimensions) {
    axes.forEach((axis, place) => {
      let sum = 0;
      for (let k = 0; k < dimensions; k++) sum += (axis[k] as number) * (vectors[row + k] as number);
      turned[row + place] = sum;
    });
  }
  return turned;
}

/** The eigenvectors of what the sample has in common (Jacobi's method), the strongest first. */
function principalAxes(sample: readonly Float32Array[], d: number): Float64Array[] {
  const matrix = Array.from({ length: d }, () => new Float64Array(d));
  for (const vector of sample) {
    for (let i = 0; i < d; i++) {
      const row = matrix[i] as Float64Array;
      for (let j = 0; j < d; j++) row[j] = (row[j] as number) + (vector[i] as number) * (vector[j] as number);
    }
  }
  const axes = Array.from({ length: d }, (_, i) =>
    Float64Array.from({ length: d }, (_, j) => (i === j ? 1 : 0)),
  );
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < d; p++) for (let q = p + 1; q < d; q++) turnPair(matrix, axes, p, q);
  }
  const strength = (i: number) => (matrix[i] as Float64Array)[i] as number;
  const order = axes.map((_, i) => i).sort((a, b) => strength(b) - strength(a));
  return order.map((i) => axes[i] as Float64Array);
}

function turnPair(matrix: Float64Array[], axes: Float64Array[], p: number, q: number): void {
  const rowP = matrix[p] as Float64Array;
  const rowQ = matrix[q] as Float64Array;
  if (Math.abs(rowP[q] as number) < 1e-12) return;
  const theta = ((rowQ[q] as number) - (rowP[p] as number)) / (2 * (rowP[q] as number));
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (const row of matrix) mix(row, { p, q, c, s });
  mixRows(rowP, rowQ, c, s);
  mixRows(axes[p] as Float64Array, axes[q] as Float64Array, c, s);
}

function mix(row: Float64Array, { p, q, c, s }: { p: number; q: number; c: number; s: number }): void {
  const one = row[p] as number;
  const other = row[q] as number;
  row[p] = c * one - s * other;
  row[q] = s * one + c * other;
}

function mixRows(one: Float64Array, other: Float64Array, c: number, s: number): void {
  for (let k = 0; k < one.length; k++) {
    const a = one[k] as number;
    const b = other[k] as number;
    one[k] = c * a - s * b;
    other[k] = s * a + c * b;
  }
}
