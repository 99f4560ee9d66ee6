interface Close {
  readonly candidate: string;
  readonly distance: number;
}

/** The candidates most like a mistyped word, best first; none when nothing is close. */
export function nearest(wanted: string, candidates: Iterable<string>, limit = 3): string[] {
  const plain = plainForm(wanted);
  const distanceTo = createDistance(plain);
  const close: Close[] = [];
  for (const candidate of candidates) {
    const other = plainForm(candidate);
    const allowed = Math.max(1, Math.floor(Math.max(plain.length, other.length) / 3));
    // A candidate farther away than the worst kept one cannot be among the nearest.
    const most = Math.min(allowed, close[limit - 1]?.distance ?? allowed);
    const distance = distanceTo(other, most);
    if (distance > most) continue;
    close.push({ candidate, distance });
    if (close.length >= limit) close.sort(closestFirst).splice(limit);
  }
  return close.sort(closestFirst).map(({ candidate }) => candidate);
}

function closestFirst(one: Close, other: Close): number {
  return one.distance - other.distance || (one.candidate < other.candidate ? -1 : 1);
}

/** Lower case without separators, so that `createIssue` and `create_issue` are the same word. */
export function plainForm(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_.-]/g, "");
}

/**
 * Edits (insert, delete, replace, swap of neighbours) between one word and others; counting stops above `most`. A
 * namespace may have ten thousand names, so most are seen to be too far away without counting.
 */
export function createDistance(from: string): (to: string, most: number) => number {
  const fromLetters = countLetters(from, new Int32Array(LETTERS));
  const toLetters = new Int32Array(LETTERS);
  let rows: Uint32Array[] = [];
  return (to, most) => {
    if (Math.abs(from.length - to.length) > most) return most + 1;
    if (leastEdits(fromLetters, countLetters(to, toLetters.fill(0))) > most) return most + 1;
    if ((rows[0]?.length ?? 0) < to.length + 2) rows = [0, 1, 2].map(() => new Uint32Array(to.length + 64));
    return countEdits(differingParts(from, to), most, rows as [Uint32Array, Uint32Array, Uint32Array]);
  };
}

/** The differing middle of two words, without their common prefix and suffix. */
function differingParts(one: string, other: string): [string, string] {
  let oneEnd = one.length;
  let otherEnd = other.length;
  let start = 0;
  while (start < oneEnd && start < otherEnd && one.charCodeAt(start) === other.charCodeAt(start)) start++;
  while (
    oneEnd > start &&
    otherEnd > start &&
    one.charCodeAt(oneEnd - 1) === other.charCodeAt(otherEnd - 1)
  ) {
    oneEnd--;
    otherEnd--;
  }
  return [one.slice(start, oneEnd), other.slice(start, otherEnd)];
}

/** Number of letter buckets; letters in the same bucket count as equal. */
const LETTERS = 32;

function countLetters(word: string, counts: Int32Array): Int32Array {
  for (let at = 0; at < word.length; at++) {
    const letter = word.charCodeAt(at) % LETTERS;
    counts[letter] = (counts[letter] as number) + 1;
  }
  return counts;
}

/** One edit takes away one letter at most, and brings one at most. */
function leastEdits(from: Int32Array, to: Int32Array): number {
  let gone = 0;
  let come = 0;
  for (let letter = 0; letter < LETTERS; letter++) {
    const more = (to[letter] as number) - (from[letter] as number);
    if (more > 0) come += more;
    else gone -= more;
  }
  return Math.max(gone, come);
}

function countEdits(
  [from, to]: readonly [string, string],
  most: number,
  [beforeLast, last, current]: [Uint32Array, Uint32Array, Uint32Array],
): number {
  for (let column = 0; column <= to.length; column++) last[column] = column;
  for (let row = 1; row <= from.length; row++) {
    // Beside these everything is too far.
    const first = Math.max(1, row - most);
    const end = Math.min(to.length, row + most);
    current[first - 1] = first === 1 ? row : most + 1;
    current[end + 1] = most + 1;
    const letter = from.charCodeAt(row - 1);
    let best = current[first - 1] as number;
    for (let column = first; column <= end; column++) {
      const same = letter === to.charCodeAt(column - 1);
      let value = Math.min(
        (last[column - 1] as number) + (same ? 0 : 1),
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
      );
      const swapped =
        row > 1 &&
        column > 1 &&
        letter === to.charCodeAt(column - 2) &&
        from.charCodeAt(row - 2) === to.charCodeAt(column - 1);
      if (swapped) value = Math.min(value, (beforeLast[column - 2] as number) + 1);
      current[column] = value;
      if (value < best) best = value;
    }
    if (best > most) return most + 1;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return last[to.length] as number;
}
