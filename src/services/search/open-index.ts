import type { Slices } from "../../core/index.ts";
import { type Log, type Registry, SILENT_LOG } from "../../core/index.ts";
import { Audiences } from "./audiences.ts";
import { DenseIndex, loadModel, type WordVectors } from "./dense/index.ts";
import { Documents } from "./documents.ts";
import { IndexUpdater } from "./index-updater.ts";
import { Indexer } from "./indexer.ts";
import { LexicalIndex, Scores } from "./lexical/index.ts";
import type { RankingParts } from "./ranking.ts";
import { keepIndex, parseIndex } from "./saved/index.ts";

/** How an index is opened. */
export interface OpenOptions {
  readonly dense?: boolean;
  readonly saved?: Uint8Array | undefined;
  readonly file?: string;
  readonly slices: Slices;
  readonly log?: Log | undefined;
  /** Gives the bytes of the index, for the file. */
  readonly save: () => Promise<Uint8Array>;
}

/** An index that follows its registry. */
export interface OpenIndex {
  readonly parts: RankingParts;
  readonly following: IndexUpdater;
  /** Follows and keeps no longer. */
  readonly close: () => void;
}

const sharedModel = shareModel();

/** Reads what there is to read and starts to follow a registry. */
export async function openIndex(registry: Registry, options: OpenOptions): Promise<OpenIndex> {
  const { slices, log = SILENT_LOG } = options;
  const model = options.dense === false ? undefined : await sharedModel(slices);
  const kept = options.file === undefined ? undefined : keepIndex(options.file, log);
  const bytes = options.saved ?? (await kept?.read());
  const saved = bytes && (await slices.run(parseIndex(bytes, model?.id ?? "none")));
  const documents = new Documents();
  const parts = {
    documents,
    audiences: new Audiences(documents),
    lexical: new LexicalIndex(),
    dense: model && new DenseIndex(model),
    scores: new Scores(),
  };
  const indexer = new Indexer({ ...parts, saved, onNew: () => kept?.changed(options.save) });
  const following = new IndexUpdater(registry, indexer, { slices, log });
  return {
    parts,
    following,
    close() {
      following.close();
      kept?.close();
    },
  };
}

/** The file never changes while the program runs, so all indexes share what was read. */
function shareModel(): (slices: Slices) => Promise<WordVectors> {
  let loading: Promise<WordVectors> | undefined;
  return (slices) => {
    loading ??= loadModel(slices).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
