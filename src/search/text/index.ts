export { stem } from "./stem.ts";
export { STOP_WORDS } from "./stop-words.ts";
export { isUnspaced, wordsOf } from "./words.ts";
