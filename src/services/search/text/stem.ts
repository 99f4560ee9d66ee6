// Porter's rules (An algorithm for suffix stripping, 1980), with the departures of his own later version
// that matter for short technical words.

const VOWEL = /[aeiou]|(?<=[^aeiou])y/;
const DOUBLE = /(bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const SHORT_END = /(?:^|[^aeiou])[aeiouy][^aeiouwxy]$/;

const SECOND: readonly Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["ization", "ize"],
  ["isation", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["biliti", "ble"],
  ["entli", "ent"],
  ["ousli", "ous"],
  ["alism", "al"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["alli", "al"],
  ["abli", "able"],
  ["logi", "log"],
  ["eli", "e"],
];

const THIRD: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];

const FOURTH: readonly string[] = [
  "ement",
  "ance",
  "ence",
  "able",
  "ible",
  "ment",
  "ant",
  "ent",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
  "al",
  "er",
  "ic",
];

/** Long enough that what follows is an ending even after one syllable: creat-ion, but not stat-ion. */
const SURE_STEM = 5;

type Rule = readonly [suffix: string, instead: string];

/** The stem of an English word in lower case; other words pass, at most without a plural's end. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let text = stripPlural(word);
  text = stripPast(text);
  if (text.length > 2 && text.endsWith("y") && !/[aeiou]/.test(text.at(-2) ?? "")) {
    text = `${text.slice(0, -1)}i`;
  }
  text = replaceFirst(text, SECOND);
  text = replaceFirst(text, THIRD);
  text = stripFourth(text);
  return stripE(text);
}

function stripPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  if (word.endsWith("ss") || word.endsWith("us") || !word.endsWith("s")) return word;
  return word.slice(0, -1);
}

function stripPast(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const end = word.endsWith("ing") ? 3 : word.endsWith("ed") ? 2 : 0;
  if (end === 0) return word;
  const rest = word.slice(0, -end);
  if (!VOWEL.test(rest)) return word;
  if (/(at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (DOUBLE.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && SHORT_END.test(rest) ? `${rest}e` : rest;
}

function replaceFirst(word: string, rules: readonly Rule[]): string {
  for (const [suffix, instead] of rules) {
    if (!word.endsWith(suffix)) continue;
    const rest = word.slice(0, -suffix.length);
    return measure(rest) > 0 ? rest + instead : word;
  }
  return word;
}

function stripFourth(word: string): string {
  if (/[st]ion$/.test(word)) {
    const rest = word.slice(0, -3);
    return measure(rest) > 1 || rest.length >= SURE_STEM ? rest : word;
  }
  for (const suffix of FOURTH) {
    if (!word.endsWith(suffix)) continue;
    const rest = word.slice(0, -suffix.length);
    return measure(rest) > 1 ? rest : word;
  }
  return word;
}

function stripE(word: string): string {
  if (word.endsWith("e")) {
    const rest = word.slice(0, -1);
    const parts = measure(rest);
    return parts > 1 || (parts === 1 && !SHORT_END.test(rest)) ? rest : word;
  }
  return word.endsWith("ll") && measure(word) > 1 ? word.slice(0, -1) : word;
}

/** Number of times that a vowel is followed by a consonant. */
function measure(word: string): number {
  let count = 0;
  let afterVowel = false;
  for (let at = 0; at < word.length; at++) {
    const isVowel = isVowelAt(word, at);
    if (afterVowel && !isVowel) count++;
    afterVowel = isVowel;
  }
  return count;
}

function isVowelAt(word: string, at: number): boolean {
  switch (word.charCodeAt(at)) {
    case 97:
    case 101:
    case 105:
    case 111:
    case 117:
      return true;
    case 121:
      return at > 0 && !isVowelAt(word, at - 1);
    default:
      return false;
  }
}
