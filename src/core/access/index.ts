export {
  type AccessPolicy,
  type Caller,
  type CompiledPolicy,
  DEFAULT_POLICY,
  decideSight,
  isPublic,
  permitsClass,
  permitsResource,
  type Sight,
  sightKey,
} from "./access.ts";
export { nearest, plainForm } from "./nearest.ts";
export { compilePatterns, type Matches } from "./pattern.ts";
export {
  cannotRequestInput,
  dryRun,
  dryRunOfStep,
  forbidden,
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
