import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSet, type Tool } from "../../bench/search/read-set.ts";
import { toSources } from "../../bench/search/to-sources.ts";
import { type Bag, bagOf, bagOfQuery } from "../../src/services/search/dense/dense-index.ts";
import { type FieldTexts, fieldsOf, wordsOfFields } from "../../src/services/search/text/fields.ts";
import type { Random } from "./random.ts";

/** Catalogues of which every tool is read. Each folder's README names its licence; all allow this use. */
const CATALOGUES = ["pool-mcpzero", "pool-mcphub", "pool-docker", "pool-github", "pool-aws", "sealtools-dev"];
/** Far more than all others together; a part of it will do. */
const LARGE = { folder: "pool-apisguru", most: 16_000 };
/** Questions with answers, and how many of them for each tool. */
const QUESTIONS = [
  { folder: "metatool-rest", perTool: 40 },
  { folder: "sealtools-dev", perTool: 20 },
  { folder: "toolverifier", perTool: 20 },
];

/** Two texts that mean the same operation. */
export interface Pair {
  readonly left: Bag;
  readonly right: Bag;
  /** Texts of one group may both be right answers; they do not count against each other. */
  readonly group: string;
}

/** What a model is trained on. */
export interface Corpus {
  readonly pairs: readonly Pair[];
  readonly documents: readonly Bag[];
}

/** Reads the training data of a folder of labelled sets; the questions of those in `without` are left out. */
export function readCorpus(folder: string, random: Random, without: readonly string[] = []): Corpus {
  const missing = [...CATALOGUES, LARGE.folder].filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) throw new Error(`${folder} lacks ${missing.join(", ")}.`);
  const large = random.shuffle(readSet(join(folder, LARGE.folder)).tools).slice(0, LARGE.most);
  const tools = [...CATALOGUES.flatMap((name) => readSet(join(folder, name)).tools), ...large];
  const texts = textsOf(tools);
  const pairs = [...texts].flatMap(([id, each]) => pairsWithin(id, each));
  for (const { folder: name, perTool } of QUESTIONS) {
    if (!without.includes(name)) pairs.push(...pairsOf(join(folder, name), perTool, random));
  }
  return {
    pairs: pairs.filter(({ left, right }) => left.size > 0 && right.size > 0),
    documents: [...texts.values()].map((each) => bagOf(wordsOfFields(each))),
  };
}

function textsOf(tools: readonly Tool[]): ReadonlyMap<string, FieldTexts> {
  const { sources } = toSources(tools);
  return new Map(
    sources.flatMap(({ source, registrations }) =>
      registrations.map(({ spec }) => [spec.name, fieldsOf(spec, source)] as const),
    ),
  );
}

const NOTHING = {
  name: "",
  namespace: "",
  title: "",
  description: "",
  parameters: "",
  parameterText: "",
  values: "",
  tags: "",
  source: "",
};

/** A name and what it is for mean the same; so do the first sentence and the rest. */
function pairsWithin(id: string, texts: FieldTexts): Pair[] {
  const { name, namespace, description, parameters, parameterText, source } = texts;
  const sentence = description.split(/(?<=[.!?。])\s|\n/, 1)[0] ?? "";
  const pairs: Pair[] = [];
  if (description.length > 15) {
    pairs.push({
      left: bagOfQuery(`${name} ${namespace}`),
      right: bagOf(wordsOfFields({ ...NOTHING, description, parameters, parameterText, source })),
      group: id,
    });
    pairs.push({
      left: bagOfQuery(sentence),
      right: bagOf(
        wordsOfFields({
          ...texts,
          title: "",
          values: "",
          tags: "",
          description: description.slice(sentence.length),
        }),
      ),
      group: id,
    });
  }
  return pairs;
}

function pairsOf(folder: string, perTool: number, random: Random): Pair[] {
  const { tools, queries } = readSet(folder);
  const { sources, idOf } = toSources(tools);
  const bags = new Map(
    sources.flatMap(({ source, registrations }) =>
      registrations.map(
        ({ spec }) => [idOf.get(spec.name) ?? "", bagOf(wordsOfFields(fieldsOf(spec, source)))] as const,
      ),
    ),
  );
  const used = new Map<string, number>();
  return random.shuffle(queries).flatMap(({ query, relevant }) =>
    relevant.flatMap((id) => {
      const times = used.get(id) ?? 0;
      const right = bags.get(id);
      if (times >= perTool || !right) return [];
      used.set(id, times + 1);
      return [{ left: bagOfQuery(query), right, group: relevant.length > 1 ? query : id }];
    }),
  );
}
