export { FIELDS, type Field, type FieldTexts, type FieldWords, fieldsOf, wordsOfFields } from "./fields.ts";
export { stem } from "./stem.ts";
export { isUnspaced, STOP_WORDS, wordsOf } from "./words.ts";
