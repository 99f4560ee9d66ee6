const COMBINING = /\p{M}+/gu;
const UMLAUT = /[äöü]/u;
const PIECES = /[\p{L}\p{N}\p{M}]+/gu;
const BEYOND_ASCII = /[^ -~]/;
/** Scripts that are written without spaces between words, or whose words take endings that no stemmer here knows. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]+/gu;

/**
 * The words of a text, in lower case and without accents, in order: `createIssueV2` gives create, issue, v2.
 * Text without spaces, such as Chinese, gives every two neighbouring characters.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [piece] of text.normalize("NFKC").matchAll(PIECES)) {
    if (BEYOND_ASCII.test(piece)) splitOther(piece, words);
    else splitIdentifier(piece, words);
  }
  return words;
}

/** True for words in a script without spaces. */
export function isUnspaced(word: string): boolean {
  return word.charCodeAt(0) > 0x0e00 && word.search(UNSPACED) === 0;
}

/** The seams are where a small letter meets a capital, and before the last capital of several: `listHTTPCalls`. */
function splitIdentifier(piece: string, words: string[]): void {
  let start = 0;
  for (let at = 1; at < piece.length; at++) {
    const before = piece.charCodeAt(at - 1);
    const here = piece.charCodeAt(at);
    const next = at + 1 < piece.length ? piece.charCodeAt(at + 1) : 0;
    const seam = isCapital(here) && (!isCapital(before) || (isSmall(next) && !isPluralEnd(piece, at + 1)));
    if (!seam) continue;
    pushWord(piece.slice(start, at).toLowerCase(), words);
    start = at;
  }
  pushWord(piece.slice(start).toLowerCase(), words);
}

/** `listURLs` is list and urls. */
function isPluralEnd(piece: string, at: number): boolean {
  return piece.charCodeAt(at) === 0x73 && (at + 1 === piece.length || isCapital(piece.charCodeAt(at + 1)));
}

/** `mp4` stays whole, for that is how it is asked for, and `issues2` is found as issues too. */
function pushWord(word: string, words: string[]): void {
  if (word.length > 40) return;
  words.push(word);
  if (word.length < 3 || !hasDigit(word)) return;
  for (const [letters] of word.matchAll(/[a-z]{2,}/g)) if (letters.length < word.length) words.push(letters);
}

function splitOther(piece: string, words: string[]): void {
  let last = 0;
  for (const { 0: run, index } of piece.matchAll(UNSPACED)) {
    if (index > last) splitAccented(piece.slice(last, index), words);
    pushPairs(run, words);
    last = index + run.length;
  }
  if (last < piece.length) splitAccented(piece.slice(last), words);
}

function splitAccented(piece: string, words: string[]): void {
  if (!BEYOND_ASCII.test(piece)) {
    splitIdentifier(piece, words);
    return;
  }
  const split = piece.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  for (const word of split.split(" ")) {
    if (word.length > 40) continue;
    words.push(fold(word));
    // Germans without the keys for it write ue for ü.
    if (UMLAUT.test(word)) words.push(fold(word.replaceAll(/[äöü]/gu, "$&e")));
  }
}

function fold(word: string): string {
  return word
    .replaceAll("ß", "ss")
    .replaceAll("ø", "o")
    .replaceAll("ł", "l")
    .normalize("NFD")
    .replaceAll(COMBINING, "");
}

function pushPairs(run: string, words: string[]): void {
  const characters = [...run];
  if (characters.length === 1) words.push(run);
  for (let at = 1; at < characters.length; at++) words.push(`${characters[at - 1]}${characters[at]}`);
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

function isSmall(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function hasDigit(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) return true;
  }
  return false;
}

/** Words that say nothing about what an operation does; in a query they count only where nothing else is said. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about above after again all also am an and any are as at be because been before being below between both but by " +
    "can could did do does doing down during each few for from further had has have having he her here hers him his how " +
    "i if in into is it its itself just let like ll may me might more most must my need no nor not now of off on once " +
    "only or other our out over own please re same shall she should so some such than that the their them then there these " +
    "they this those through to too under until up us ve very want was we were what when where which while who whom why " +
    "will with would you your yours d s t m im using use used via able help tell know " +
    "der die das den dem des ein eine einen einem einer und oder ist sind im ins zu zum zur von vom mit auf fur ich wie " +
    "le la les un une des et ou est pour dans el los las una y o en para con"
  ).split(" "),
);
