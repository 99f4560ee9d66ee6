import assert from "node:assert/strict";
import { test } from "node:test";
import { Slices } from "../../../core/index.ts";
import { fieldsOf, wordsOfFields } from "../text/index.ts";
import { DenseIndex } from "./dense-index.ts";
import { BUCKETS, createWordVectors, loadModel, parseModel, writeModel } from "./model.ts";
import { Vectors } from "./vectors.ts";

const TINY = {
  dimensions: 2,
  words: ["east", "north"],
  scales: Float32Array.of(0.5, 1),
  vectors: Int8Array.of(100, 0, 0, 100),
  subwordScale: 0.01,
  subwords: new Int8Array(BUCKETS * 2).fill(50),
};

test("a model reads as it was written", () => {
  const { words, scales, vectors, subwords } = parseModel(writeModel(TINY));
  assert.deepEqual(
    { words, scales, vectors, subwords },
    {
      words: TINY.words,
      scales: TINY.scales,
      vectors: TINY.vectors,
      subwords: TINY.subwords,
    },
  );
  assert.throws(() => parseModel(new Uint8Array(64)), /not a file of word vectors/);
});

test("a word that the model does not know is the mean of its parts", async () => {
  const sum = new Float32Array(2);
  (await new Slices().run(createWordVectors(TINY))).addTo(sum, "southward", 2);
  assert.deepEqual(
    [...sum].map((value) => Math.round(value * 100)),
    [50, 50],
  );
});

test("the nearest are found among those that may be seen", () => {
  const vectors = new Vectors(2);
  for (let document = 0; document < 100; document++) {
    const angle = (document / 100) * Math.PI;
    vectors.set(document, Float32Array.of(Math.cos(angle), Math.sin(angle)));
  }
  const query = Float32Array.of(1, 0);
  const visible = new Uint8Array(100).fill(1, 10);
  const found = vectors.nearest(query, { visible, most: 3, passes: (document) => document % 2 === 0 });
  assert.ok(found.includes(10) && found.every((document) => document >= 10 && document % 2 === 0));
  assert.ok(Math.abs(vectors.likeness(query, 0) - 1) < 0.01 && Math.abs(vectors.likeness(query, 50)) < 0.02);
});

test("the nearest are the same whatever lies between them that may not be seen", () => {
  const direction = (number: number) => {
    const angle = ((number * 7_919) % 3_000) / 1_000;
    return Float32Array.of(Math.cos(angle), Math.sin(angle));
  };
  const alone = new Vectors(2);
  const among = new Vectors(2);
  const visible = new Uint8Array(40_000);
  for (let number = 0; number < 5_000; number++) {
    alone.set(number, direction(number));
    among.set(number * 8, direction(number));
    visible[number * 8] = 1;
    for (let between = 1; between < 8; between++) among.set(number * 8 + between, direction(between));
  }
  for (let most = 1; most < 60; most += 7) {
    const wanted = { most, passes: undefined };
    const query = direction(most);
    assert.deepEqual(
      among.nearest(query, { ...wanted, visible }).map((document) => document / 8),
      alone.nearest(query, { ...wanted, visible: new Uint8Array(5_000).fill(1) }),
    );
  }
});

test("the shipped model knows what is alike", async () => {
  const index = new DenseIndex(await loadModel(new Slices()));
  const specs = [
    "Sends an email to a person.",
    "The weather forecast for a city.",
    "Deletes a database table.",
  ];
  specs.forEach((description, document) => {
    const spec = { name: "a/b", namespace: "a", description, inputSchema: true } as never;
    index.add(document, wordsOfFields(fieldsOf(spec, { name: "a" })));
  });
  const best = (query: string) => {
    const read = index.read(query);
    const likeness = specs.map((_, document) => read?.likeness(document) ?? 0);
    return likeness.indexOf(Math.max(...likeness));
  };
  assert.deepEqual(["write a letter", "will it rain tomorrow", "drop sql rows"].map(best), [0, 1, 2]);
  assert.equal(index.read("搜索 123"), undefined);
});
