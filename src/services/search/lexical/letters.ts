/** So many letters are told apart; others are taken for one of them. */
const LETTERS = 30;

/** Which letters a word has, as bits: words that are alike have nearly the same. */
export function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) % LETTERS);
  return bits;
}

/** How many letters only one of two words has. */
export function differingLetters(one: number, other: number): number {
  let count = 0;
  for (let bits = one ^ other; bits !== 0; bits &= bits - 1) count++;
  return count;
}
