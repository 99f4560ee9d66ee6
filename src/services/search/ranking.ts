import {
  type Caller,
  type Entry,
  lastSegmentOf,
  MAX_NAME_LENGTH,
  namespaceOf,
  normaliseName,
  type OperationType,
  type Snapshot,
} from "../../core/index.ts";
import type { Audiences } from "./audiences.ts";
import { bestOf } from "./best-of.ts";
import type { DenseIndex, DenseQuery } from "./dense/index.ts";
import type { Documents } from "./documents.ts";
import {
  impactOf,
  type LexicalIndex,
  MOST_TIMES,
  type QueryTerm,
  type Scores,
  shareOf,
  type VisibleDocuments,
} from "./lexical/index.ts";
import { FIELDS, type Field, fieldsOf, stem, wordsOfFields } from "./text/index.ts";

/** Number of the best by words, and by meaning, that are combined. */
const CANDIDATES = 128;
/** Share of meaning in a score; the rest is words. Chosen with one training set held out (decision 017). */
const DENSE_SHARE = 0.35;
/** The mean of more words than this is less clear. Chosen with training sets held out (decision 017). */
const CLEAR_WORDS = 12;
/** Minimum similarity of a document that shares no word with the query. */
const NEAR = 0.42;
/** Share of the score that a deprecated operation keeps. */
const DEPRECATED_SHARE = 0.5;

/** The caller and filters of a query, and the number of wanted results. */
export interface RankRequest {
  readonly caller: Caller;
  readonly namespace?: string | undefined;
  readonly types?: readonly OperationType[] | undefined;
  /** Number of wanted results. */
  readonly most: number;
}

/** One document that was found. */
interface Ranked {
  readonly document: number;
  readonly score: number;
  readonly lexical: number;
  readonly dense: number;
}

/** The best, how many there are at all, and how sure that is, from 0 to 1. */
export interface Ranking {
  readonly best: readonly Ranked[];
  readonly total: number;
  readonly confidence: number;
  readonly terms: readonly QueryTerm[];
}

/** Everything that a ranking is made from. */
export interface RankingParts {
  readonly documents: Documents;
  readonly audiences: Audiences;
  readonly lexical: LexicalIndex;
  readonly dense: DenseIndex | undefined;
  readonly scores: Scores;
}

/** Ranks the operations that a caller may see. */
export function rank(
  query: string,
  parts: RankingParts,
  request: RankRequest & { readonly snapshot: Snapshot },
): Ranking {
  const { documents, lexical, dense } = parts;
  const crowd = parts.audiences.of(request.caller, request.snapshot);
  const passes = documents.filter(request);
  const most = Math.max(CANDIDATES, 2 * request.most);
  const terms = lexical.read(query, crowd);
  parts.scores.start(crowd.visible, documents.end);
  lexical.score(terms, parts.scores, request.namespace === undefined ? undefined : Number.POSITIVE_INFINITY);
  const scores = parts.scores.numbers;
  const highest = terms.reduce((sum, { weight }) => sum + weight, 0);
  const nameOf = (document: number) => documents.nameOf(document);
  const byWords = bestOf(parts.scores, { most, highest, passes, nameOf });

  const denseQuery = dense?.read(query);
  const found = denseQuery
    ? bestByMeaning(denseQuery, crowd, { scores, most, passes, nameOf })
    : { candidates: [], more: 0 };
  const candidates = new Set([...byWords.best, ...found.candidates]);
  const exact = exactNames(query, parts, crowd, passes);
  for (const document of exact) candidates.add(document);

  const share = denseQuery ? denseShare(terms.length) : 0;
  const fused = fuse([...candidates], { scores, denseQuery, share, documents });
  const order = fused
    .map((each) => ({ ...each, exact: exact.has(each.document) }))
    .sort(
      (a, b) =>
        Number(b.exact) - Number(a.exact) ||
        b.score - a.score ||
        (nameOf(a.document) < nameOf(b.document) ? -1 : 1),
    );
  const extra = [...exact].filter((document) => scores[document] === 0).length;
  return {
    best: order.slice(0, request.most),
    total: byWords.total + found.more + extra,
    confidence: exact.size > 0 ? 1 : confidenceOf(fused, terms),
    terms,
  };
}

type Passes = ((document: number) => boolean) | undefined;

/** A document without any of the words must be close in meaning to be shown. */
function bestByMeaning(
  query: DenseQuery,
  crowd: VisibleDocuments,
  {
    scores,
    most,
    passes,
    nameOf,
  }: {
    readonly scores: Float32Array;
    readonly most: number;
    readonly passes: Passes;
    readonly nameOf: (document: number) => string;
  },
): { readonly candidates: readonly number[]; readonly more: number } {
  const near = query
    .nearest(crowd.visible, most, passes)
    .map((document) => ({ document, likeness: query.likeness(document), isNew: scores[document] === 0 }))
    .filter(({ likeness, isNew }) => !isNew || likeness >= NEAR)
    .sort((a, b) => b.likeness - a.likeness || (nameOf(a.document) < nameOf(b.document) ? -1 : 1))
    .slice(0, most);
  const candidates = near.map(({ document }) => document);
  const more = near.filter(({ isNew }) => isNew).length;
  return { candidates, more };
}

/** The mean of very many words means everything and nothing, so it counts less. */
function denseShare(words: number): number {
  return DENSE_SHARE * Math.min(1, CLEAR_WORDS / Math.max(1, words));
}

function fuse(
  candidates: readonly number[],
  from: {
    readonly scores: Float32Array;
    readonly denseQuery: DenseQuery | undefined;
    readonly share: number;
    readonly documents: Documents;
  },
): Ranked[] {
  const { scores, denseQuery, share, documents } = from;
  const raw = candidates.map((document) => ({
    document,
    lexical: scores[document] ?? 0,
    dense: Math.max(0, denseQuery?.likeness(document) ?? 0),
  }));
  const mostLexical = raw.reduce((most, { lexical }) => Math.max(most, lexical), 0) || 1;
  const mostDense = raw.reduce((most, { dense }) => Math.max(most, dense), 0) || 1;
  return raw.map(({ document, lexical, dense }) => {
    const mixed = (1 - share) * (lexical / mostLexical) + share * (dense / mostDense);
    return {
      document,
      lexical,
      dense,
      score: documents.isDeprecated(document) ? mixed * DEPRECATED_SHARE : mixed,
    };
  });
}

/** The operations whose name the query is, with or without namespace, however it is spelt. */
function exactNames(
  query: string,
  { documents, lexical }: RankingParts,
  { visible }: VisibleDocuments,
  passes: Passes,
): Set<number> {
  const name = normaliseName(query.trim());
  if (name === "" || name.length > MAX_NAME_LENGTH) return new Set();
  const namespace = name.includes("/") ? namespaceOf(name) : undefined;
  const isMeant = (document: number) =>
    visible[document] === 1 &&
    (!passes || passes(document)) &&
    (namespace === undefined || documents.entryOf(document)?.registration.spec.namespace === namespace);
  return new Set(lexical.named(lastSegmentOf(name)).filter(isMeant));
}

/** Coverage of the query by the best document's words, or its similarity in meaning. */
function confidenceOf(fused: readonly Ranked[], terms: readonly QueryTerm[]): number {
  const all = terms.reduce((sum, { weight }) => sum + weight, 0);
  const covered = fused.reduce((most, { lexical }) => Math.max(most, lexical), 0) / (all || 1);
  const near = fused.reduce((most, { dense }) => Math.max(most, dense), 0);
  return Math.min(1, Math.max(covered, near));
}

/** A word of the query in one part of an operation, and what it was worth. */
export interface WordScore {
  readonly word: string;
  /** The word that was found for it, where it is another. */
  readonly found: string;
  readonly field: Field;
  readonly points: number;
}

/** Words and parts of an operation that gave it its rank. For operators: callers never see scores. */
export interface Explanation {
  readonly name: string;
  readonly score: number;
  /** Score of all words together. */
  readonly lexical: number;
  /** Similarity in meaning, from 0 to 1. */
  readonly dense: number;
  readonly words: readonly WordScore[];
}

/** Says which words of a query an operation has, where, and what each was worth, the most first. */
export function explainWords(
  terms: readonly QueryTerm[],
  { registration, source }: Entry,
  termOf: (term: number) => string,
): readonly WordScore[] {
  const words = wordsOfFields(fieldsOf(registration.spec, source));
  const stems = FIELDS.map((field) => ({ field, stems: words[field].map(stem) }));
  const scores = terms.flatMap(({ word, term, weight }) => {
    const found = termOf(term);
    const parts = stems.flatMap(({ field, stems: all }) => {
      const times = Math.min(MOST_TIMES, all.filter((each) => each === found).length);
      return times === 0 ? [] : [{ field, sum: times * shareOf(field, all.length) }];
    });
    const sum = parts.reduce((all, part) => all + part.sum, 0);
    const points = (weight * impactOf(sum)) / 255;
    return parts.map((part) => ({ word, found, field: part.field, points: (points * part.sum) / sum }));
  });
  return scores.sort((a, b) => b.points - a.points);
}
