import { ImportError } from "./errors.ts";
import { isRecord } from "./json.ts";

/** Characters that a screen does not show, or that change how others are shown; line breaks and tabs are seen well enough. */
const UNSEEN = /(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Zero width (non-)joiners inside words of scripts that need them, and between the parts of one emoji. */
const JOINER =
  "(?<=(?![\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}])[\\p{L}\\p{M}])[\\u200c\\u200d](?=[\\p{L}\\p{M}])" +
  "|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})";
/** One variation selector after what it can vary; a row of them carries hidden text. */
const VARIATION =
  "(?<=[\\p{Extended_Pictographic}0-9#*\\p{Sm}])[\\ufe00-\\ufe0f]|(?<=\\p{sc=Han})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]";
/** Signs that are of the same class but are written. */
const WRITTEN = "[\\n\\t\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]";

const HIDDEN = new RegExp(
  `(?!${JOINER}|${VARIATION}|${WRITTEN})[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029]`,
  "gu",
);
/** Almost every text is of these alone, and needs no more than a look. */
const PLAIN = /^[\n\t -~]*$/;

/** Deeper schemas are refused by the registry. */
const MAX_DEPTH = 500;

/** The text with everything in it that cannot be seen written out: `\u{200b}`. For people who review what others wrote. */
export function showInvisible(text: string): string {
  return text.replaceAll(UNSEEN, (found) => `\\u{${found.codePointAt(0)?.toString(16).padStart(4, "0")}}`);
}

/**
 * The texts of a source without characters that people do not see and models read (decision 068); the
 * very same value where it has none. Throws an ImportError where a name or an allowed value has some: without them it
 * would be another one. Parts that `known` has were looked at before.
 */
export function withoutInvisible<Value>(
  value: Value,
  known: WeakMap<object, unknown> = new WeakMap(),
): Value {
  // Most parts have nothing to hide, and there are very many of them: nothing is copied before something differs.
  const visit = (given: unknown, depth: number): unknown => {
    if (typeof given === "string") return textWithout(given);
    if (typeof given !== "object" || given === null || depth > MAX_DEPTH) return given;
    let seen = known.get(given);
    if (seen === undefined) {
      seen = Array.isArray(given) ? list(given, depth) : record(given, depth);
      known.set(given, seen);
    }
    return seen;
  };
  const list = (given: readonly unknown[], depth: number) => {
    let changed: unknown[] | undefined;
    for (let index = 0; index < given.length; index++) {
      const seen = visit(given[index], depth + 1);
      if (seen === given[index]) continue;
      changed ??= [...given];
      changed[index] = seen;
    }
    return changed ?? given;
  };
  const record = (given: object, depth: number) => {
    if (!isRecord(given)) return given;
    let changed: Map<string, unknown> | undefined;
    for (const key of Object.keys(given)) {
      refuseHidden(key);
      const part = given[key];
      if (key === "enum" || key === "const") for (const each of [part].flat()) refuseHidden(each);
      const seen = visit(part, depth + 1);
      if (seen === part) continue;
      changed ??= new Map(Object.entries(given));
      changed.set(key, seen);
    }
    return changed ? Object.fromEntries(changed) : given;
  };
  return visit(value, 0) as Value;
}

/** Names, and values that callers must send unchanged. */
function refuseHidden(name: unknown): void {
  if (typeof name !== "string" || textWithout(name) === name) return;
  const shown = showInvisible(name).slice(0, 100);
  throw new ImportError("SCHEMA_PARSE", `the name or value "${shown}" has characters that cannot be seen`);
}

function textWithout(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(HIDDEN, (found) => (found === "\u2028" || found === "\u2029" ? "\n" : ""));
}
