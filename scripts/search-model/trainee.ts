import type { Random } from "./random.ts";
import type { Vocabulary } from "./vocabulary.ts";

const LEAST_WEIGHT = 0.02;
const MOST_WEIGHT = 1.5;

/** How the vectors are trained. */
export interface Training {
  readonly epochs: number;
  readonly batch: number;
  readonly temperature: number;
  readonly rate: number;
  /** How strongly a vector is held where it started, so that words that were never seen stay comparable. */
  readonly hold: number;
  readonly random: Random;
}

/** A text as a sum of words of the vocabulary. */
export interface Sparse {
  readonly numbers: Uint32Array;
  readonly times: Float32Array;
}

/** A pair of the corpus in the numbers of the vocabulary. */
export interface Row {
  readonly left: Sparse;
  readonly right: Sparse;
  readonly group: string;
}

/** Texts as vectors of length 1, how long they were before, and what is to change: one row for each text. */
interface Texts {
  readonly vectors: Float32Array;
  readonly lengths: Float32Array;
  readonly gradients: Float32Array;
}

/** Vectors that learn, batch by batch (contrastive loss in both directions, Adagrad). */
export class Trainee {
  readonly #options: Training;
  readonly #vectors: Float32Array;
  readonly #start: Float32Array;
  readonly #weights: Float32Array;
  readonly #squares: Float32Array;
  readonly #weightSquares: Float32Array;
  readonly #dimensions: number;

  constructor({ words, vectors, weights }: Vocabulary, options: Training) {
    this.#options = options;
    this.#vectors = vectors;
    this.#start = vectors.slice();
    this.#weights = weights;
    this.#dimensions = vectors.length / words.length;
    this.#squares = new Float32Array(words.length).fill(1e-6);
    this.#weightSquares = new Float32Array(words.length).fill(1e-6);
  }

  /** One step over a batch: each text should be nearest to its own partner. Returns the loss. */
  step(rows: readonly Row[], pace: number): number {
    const lefts = this.#textsOf(rows.map(({ left }) => left));
    const rights = this.#textsOf(rows.map(({ right }) => right));
    const { errors, loss } = this.#compare(rows, lefts, rights);
    const count = rows.length;
    const d = this.#dimensions;
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        const error = errors[i * count + j] as number;
        if (Math.abs(error) < 1e-9) continue;
        addRow(lefts.gradients, i * d, rights.vectors, j * d, d, error);
        addRow(rights.gradients, j * d, lefts.vectors, i * d, d, error);
      }
    }
    rows.forEach(({ left, right }, at) => {
      this.#learn(left, lefts, at, pace);
      this.#learn(right, rights, at, pace);
    });
    return loss;
  }

  /** How far each likeness is from what it should be. Texts of one group do not count against each other. */
  #compare(
    rows: readonly Row[],
    lefts: Texts,
    rights: Texts,
  ): { readonly errors: Float32Array; readonly loss: number } {
    const count = rows.length;
    const d = this.#dimensions;
    const { temperature } = this.#options;
    const powers = new Float64Array(count * count);
    const across = new Float64Array(count);
    const down = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        if (i !== j && rows[i]?.group === rows[j]?.group) continue;
        let sum = 0;
        for (let k = 0; k < d; k++)
          sum += (lefts.vectors[i * d + k] as number) * (rights.vectors[j * d + k] as number);
        // Likeness is at most 1, so this cannot overflow.
        const power = Math.exp((sum - 1) / temperature);
        powers[i * count + j] = power;
        across[i] = (across[i] as number) + power;
        down[j] = (down[j] as number) + power;
      }
    }
    const errors = new Float32Array(count * count);
    let loss = 0;
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        const power = powers[i * count + j] as number;
        const share = power / (across[i] as number) + power / (down[j] as number);
        errors[i * count + j] = (share - (i === j ? 2 : 0)) / (2 * count * temperature);
        if (i === j)
          loss -= (Math.log(power / (across[i] as number)) + Math.log(power / (down[i] as number))) / 2;
      }
    }
    return { errors, loss: loss / count };
  }

  #textsOf(texts: readonly Sparse[]): Texts {
    const d = this.#dimensions;
    const vectors = new Float32Array(texts.length * d);
    const lengths = new Float32Array(texts.length);
    texts.forEach(({ numbers, times }, row) => {
      for (let at = 0; at < numbers.length; at++) {
        const number = numbers[at] as number;
        addRow(
          vectors,
          row * d,
          this.#vectors,
          number * d,
          d,
          (times[at] as number) * (this.#weights[number] as number),
        );
      }
      const vector = vectors.subarray(row * d, (row + 1) * d);
      const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1e-6;
      for (let k = 0; k < d; k++) vector[k] = (vector[k] as number) / length;
      lengths[row] = length;
    });
    return { vectors, lengths, gradients: new Float32Array(texts.length * d) };
  }

  #learn(
    { numbers, times }: Sparse,
    { vectors, lengths, gradients }: Texts,
    row: number,
    pace: number,
  ): void {
    const d = this.#dimensions;
    const vector = vectors.subarray(row * d, (row + 1) * d);
    const gradient = gradients.subarray(row * d, (row + 1) * d);
    // Only what turns the vector matters, not what stretches it.
    const along = dot(gradient, vector, d);
    const length = lengths[row] as number;
    for (let k = 0; k < d; k++)
      gradient[k] = ((gradient[k] as number) - along * (vector[k] as number)) / length;
    const size = dot(gradient, gradient, d);
    for (let at = 0; at < numbers.length; at++)
      this.#learnWord(numbers[at] as number, times[at] as number, { gradient, size, pace });
  }

  #learnWord(
    number: number,
    times: number,
    {
      gradient,
      size,
      pace,
    }: { readonly gradient: Float32Array; readonly size: number; readonly pace: number },
  ): void {
    const d = this.#dimensions;
    const { rate, hold } = this.#options;
    const share = times * (this.#weights[number] as number);
    this.#squares[number] = (this.#squares[number] as number) + (share * share * size) / d;
    const step = (rate * pace * share) / Math.sqrt(this.#squares[number] as number);
    let towards = 0;
    for (let k = 0; k < d; k++) {
      const place = number * d + k;
      const now = this.#vectors[place] as number;
      towards += (gradient[k] as number) * now;
      this.#vectors[place] =
        now - step * (gradient[k] as number) - hold * pace * (now - (this.#start[place] as number));
    }
    const weightStep = towards * times;
    this.#weightSquares[number] = (this.#weightSquares[number] as number) + weightStep * weightStep;
    const change = (rate * pace * weightStep) / Math.sqrt(this.#weightSquares[number] as number);
    const weight = (this.#weights[number] as number) - change;
    this.#weights[number] = Math.min(MOST_WEIGHT, Math.max(LEAST_WEIGHT, weight));
  }
}

function addRow(
  to: Float32Array,
  toStart: number,
  from: Float32Array,
  fromStart: number,
  length: number,
  times: number,
): void {
  for (let k = 0; k < length; k++)
    to[toStart + k] = (to[toStart + k] as number) + times * (from[fromStart + k] as number);
}

function dot(one: Float32Array, other: Float32Array, length: number): number {
  let sum = 0;
  for (let k = 0; k < length; k++) sum += (one[k] as number) * (other[k] as number);
  return sum;
}
