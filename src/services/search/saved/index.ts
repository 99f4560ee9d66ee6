export { contentHash } from "./content-hash.ts";
export { type KeptIndex, keepIndex } from "./keep-index.ts";
export {
  type IndexContent,
  parseIndex,
  type SavedDocument,
  type SavedIndex,
  writeIndex,
} from "./saved-index.ts";
