/** The candidates most like a mistyped word, best first; none when nothing is close. */
export function nearest(wanted: string, candidates: Iterable<string>, limit = 3): string[] {
  const plain = plainForm(wanted);
  const close: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of candidates) {
    const other = plainForm(candidate);
    const allowed = Math.max(1, Math.floor(Math.max(plain.length, other.length) / 3));
    const distance = editDistance(plain, other, allowed);
    if (distance <= allowed) close.push({ candidate, distance });
  }
  close.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
  return close.slice(0, limit).map(({ candidate }) => candidate);
}

/** Lower case without separators, so that `createIssue` and `create_issue` are the same word. */
export function plainForm(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_.-]/g, "");
}

/** Edits (insert, delete, replace, swap of neighbours) between two words; counting stops above `most`. */
function editDistance(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let value = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        value = Math.min(value, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(value);
      if (value < best) best = value;
    }
    if (best > most) return most + 1;
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? most + 1;
}
