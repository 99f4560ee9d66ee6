export { FIELDS, type Field, type FieldTexts, type FieldWords, fieldsOf, wordsOfFields } from "./fields.ts";
export { stem } from "./stem.ts";
export { STOP_WORDS } from "./stop-words.ts";
export { isUnspaced, wordsOf } from "./words.ts";
