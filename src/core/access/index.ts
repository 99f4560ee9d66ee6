export {
  type AccessPolicy,
  type Caller,
  type CompiledPolicy,
  compilePatterns,
  DEFAULT_POLICY,
  decideSight,
  grantedIds,
  isDenied,
  isGranted,
  isPublic,
  type Matches,
  permitsClass,
  resourceIn,
  type Sight,
  sightKey,
} from "./access.ts";

export { createDistance, nearest, plainForm } from "./nearest.ts";
export { Owners, type OwnersOptions, ResourceAnswers } from "./owners.ts";
export {
  cannotRequestInput,
  dryRun,
  dryRunOfStep,
  forbidden,
  forbiddenList,
  forbiddenMutation,
  forbiddenResource,
  invalidInput,
  invalidSelect,
  MAX_AT_ONCE,
  MAX_DEPTH,
  notFound,
  refusalOfWhole,
  tooComplexInput,
  tooDeep,
  tooManyAtOnce,
  unusableSchema,
  wrongKind,
} from "./refusals.ts";
export {
  FILTER_WORDS,
  filterBitOf,
  HashTable,
  hashesOfWords,
  hashOfWord,
  SimilarNames,
} from "./similar-names.ts";
