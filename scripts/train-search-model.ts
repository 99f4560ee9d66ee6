import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MODEL_FILE, writeModel } from "../src/services/search/dense/model.ts";
import { readCorpus } from "./search-model/corpus.ts";
import { fitSubwords } from "./search-model/fit-subwords.ts";
import { quantise, quantiseRows } from "./search-model/quantise.ts";
import { createRandom } from "./search-model/random.ts";
import { rotate } from "./search-model/rotate.ts";
import { sampleTexts } from "./search-model/sample-texts.ts";
import { train } from "./search-model/train.ts";
import { chooseVocabulary } from "./search-model/vocabulary.ts";
import { readStartVectors } from "./search-model/word-vectors.ts";

// Makes the word vectors of the search: node scripts/train-search-model.ts --data DIR, where DIR holds the
// labelled sets and catalogues that decision 017 lists. The same data gives the same file.

const TRAINING = { epochs: 6, batch: 256, temperature: 0.06, rate: 0.02, hold: 0.0005 };

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string" },
    /** Sets whose questions are left out, so that parameters can be chosen by them. */
    without: { type: "string", multiple: true, default: [] },
  },
});
if (values.data === undefined) {
  console.error("Say where the data is: node scripts/train-search-model.ts --data DIR");
  process.exit(2);
}

const random = createRandom(7);
const corpus = readCorpus(values.data, random, values.without);
const start = readStartVectors(join(import.meta.dirname, "../.cache"));
const vocabulary = chooseVocabulary(corpus, start, random);
const { words, weights, vectors } = vocabulary;
const { dimensions } = start;
console.error(`${corpus.pairs.length} pairs, ${words.length} words`);
train(vocabulary, corpus.pairs, { ...TRAINING, random });

const turned = rotate(vectors, sampleTexts(corpus.documents, vocabulary), dimensions);
const subwords = fitSubwords(words, turned, { dimensions, random });
const bytes = writeModel({
  dimensions,
  words,
  ...quantiseRows(turned, weights, dimensions),
  ...quantise(subwords),
});
writeFileSync(values.out ?? MODEL_FILE, bytes);
console.error(`${(bytes.length / 1e6).toFixed(2)} MB written`);
