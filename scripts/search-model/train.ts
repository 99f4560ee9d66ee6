import type { Bag } from "../../src/services/search/dense/dense-index.ts";
import type { Pair } from "./corpus.ts";
import type { Random } from "./random.ts";
import { type Row, type Sparse, Trainee, type Training } from "./trainee.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Neighbours of one server stay together, so that a batch has wrong answers that are nearly right. */
const NEIGHBOURS = 8;

/** Moves the vectors and weights of a vocabulary so that texts of one pair come nearer than any others. */
export function train(vocabulary: Vocabulary, pairs: readonly Pair[], options: Training): void {
  const { epochs, batch } = options;
  const trainee = new Trainee(vocabulary, options);
  const rows = pairs
    .map(({ left, right, group }) => ({
      left: sparse(left, vocabulary),
      right: sparse(right, vocabulary),
      group,
    }))
    .filter(({ left, right }) => left.numbers.length > 0 && right.numbers.length > 0);
  for (let epoch = 0; epoch < epochs; epoch++) {
    const shuffled = shuffle(rows, options.random);
    const batches = Math.floor(shuffled.length / batch);
    let loss = 0;
    for (let at = 0; at < batches; at++) {
      loss += trainee.step(shuffled.slice(at * batch, (at + 1) * batch), 1 - (0.9 * epoch) / epochs);
    }
    console.error(`epoch ${epoch + 1} of ${epochs}: loss ${(loss / batches).toFixed(4)}`);
  }
}

function shuffle(rows: readonly Row[], random: Random): readonly Row[] {
  const offset = Math.floor(random.next() * NEIGHBOURS);
  const blocks: Row[][] = [rows.slice(0, offset)];
  for (let start = offset; start < rows.length; start += NEIGHBOURS)
    blocks.push(rows.slice(start, start + NEIGHBOURS));
  return random.shuffle(blocks).flat();
}

function sparse(bag: Bag, { numbers }: Vocabulary): Sparse {
  const known = [...bag].flatMap(([word, times]) => {
    const number = numbers.get(word);
    return number === undefined ? [] : [{ number, times }];
  });
  return {
    numbers: Uint32Array.from(known.map(({ number }) => number)),
    times: Float32Array.from(known.map(({ times }) => times)),
  };
}
