/** So many different vectors stand for the parts of all words that have none of their own. */
export const BUCKETS = 4_096;

/** The numbers of the parts of a word: every three to five neighbouring letters, ends marked. */
export function subwordsOf(word: string): number[] {
  const marked = `<${word}>`;
  const parts: number[] = [];
  for (let length = 3; length <= 5; length++) {
    for (let start = 0; start + length <= marked.length; start++) {
      parts.push(hash(marked, start, start + length) % BUCKETS);
    }
  }
  return parts;
}

/** FNV-1a. */
function hash(text: string, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let at = start; at < end; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
