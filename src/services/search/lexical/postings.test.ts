import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Postings, Scores } from "./postings.ts";

const DOCUMENTS = 400;
const TERMS = 4;

interface Entered {
  readonly document: number;
  readonly terms: readonly { readonly term: number; readonly impact: number }[];
}

type Step = { readonly kind: "add" | "remove"; readonly document: number } | { readonly kind: "sweep" };

const entered = fc.uniqueArray(
  fc.record({
    term: fc.nat({ max: TERMS - 1 }),
    impact: fc.integer({ min: 1, max: 255 }),
  }),
  { selector: ({ term }) => term, minLength: 1 },
);
const place = fc.nat({ max: DOCUMENTS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("add" as const), document: place }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("remove" as const), document: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("sweep" as const) }) },
);
const steps = fc.array(step, { maxLength: 600, size: "max" });

function fill(postings: Postings, { document, terms }: Entered): void {
  for (const { term, impact } of terms) postings.add(term, document, impact);
}

function scoresOf(postings: Postings, visible: Uint8Array): readonly (readonly number[])[] {
  return Array.from({ length: TERMS }, (_, term) => {
    const scores = new Scores();
    scores.start(visible, DOCUMENTS);
    postings.accumulate(term, 1, scores);
    postings.reinforce(term, 2, scores);
    return [postings.countVisible(term, visible), scores.count, ...scores.numbers];
  });
}

test("after any adds, removals and sweeps the lists say what a new index of the same documents says", () => {
  fc.assert(
    fc.property(steps, fc.array(entered, { minLength: 1, maxLength: 20 }), (all, texts) => {
      const postings = new Postings();
      const present = new Map<number, Entered>();
      const gone = new Set<number>();
      let count = 0;
      for (const step of all) {
        if (step.kind === "add" && !present.has(step.document) && !gone.has(step.document)) {
          const added = { document: step.document, terms: texts[count++ % texts.length] ?? [] };
          present.set(step.document, added);
          fill(postings, added);
        } else if (step.kind === "remove" && present.delete(step.document)) gone.add(step.document);
        else if (step.kind === "sweep") {
          for (let term = 0; term < TERMS; term++) postings.sweep(term, (document) => gone.has(document));
          gone.clear();
        }
      }
      const anew = new Postings();
      for (const each of present.values()) fill(anew, each);
      const visible = new Uint8Array(DOCUMENTS);
      for (const document of present.keys()) visible[document] = 1;
      assert.deepEqual(scoresOf(postings, visible), scoresOf(anew, visible));
    }),
  );
});

test("lists that are longer than any block, and more than fit one piece, keep everything in order", () => {
  const postings = new Postings();
  const all = 150_000;
  for (let document = 0; document < all; document++)
    postings.add(document % 3, document, 1 + (document % 255));
  for (let term = 0; term < 3; term++) {
    const list = postings.of(term);
    assert.equal(list.length, all / 3);
    assert.equal(postings.countOf(term), all / 3);
    assert.ok(
      list.every(
        (posting, at) => posting >>> 8 === at * 3 + term && (posting & 255) === 1 + ((at * 3 + term) % 255),
      ),
    );
  }
});

test("a sweep of everything leaves a list that can be filled again", () => {
  const postings = new Postings();
  for (let document = 0; document < 5_000; document++) postings.add(0, document, 7);
  postings.sweep(0, () => true);
  assert.deepEqual([postings.countOf(0), ...postings.of(0)], [0]);
  for (let document = 0; document < 3_000; document++) postings.add(0, document, 9);
  assert.deepEqual(
    [...postings.of(0)],
    Array.from({ length: 3_000 }, (_, document) => document * 256 + 9),
  );
  assert.deepEqual([...postings.of(77)], []);
});

test("documents that come and go for ever need no more room than those that are there at a time", () => {
  const postings = new Postings();
  const comeAndGo = (times: number) => {
    for (let time = 0; time < times; time++) {
      for (let document = 0; document < 5_000; document++) postings.add(document % 7, document, 1);
      for (let term = 0; term < 7; term++) postings.sweep(term, () => true);
    }
    return postings.room;
  };
  const before = comeAndGo(10);
  assert.equal(comeAndGo(1_000), before);
  assert.equal(postings.countOf(0), 0);
});
