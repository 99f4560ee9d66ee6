/** Longer words are not compared. */
const MAX_LENGTH = 40;

/** Says of words whether they become another by at most so many slips: a letter more, less, other, or two swapped. */
export function createSlipCheck(word: string, most: number): (other: string) => boolean {
  const rows = [0, 1, 2].map(() => new Uint8Array(MAX_LENGTH + 1));
  return (other) => {
    if (Math.abs(word.length - other.length) > most) return false;
    if (word.length > MAX_LENGTH || other.length > MAX_LENGTH) return false;
    let [beforeLast, last, current] = rows as [Uint8Array, Uint8Array, Uint8Array];
    for (let column = 0; column <= other.length; column++) last[column] = column;
    for (let row = 1; row <= word.length; row++) {
      current[0] = row;
      let best = row;
      for (let column = 1; column <= other.length; column++) {
        const same = word.charCodeAt(row - 1) === other.charCodeAt(column - 1);
        let value = Math.min(
          (last[column] as number) + 1,
          (current[column - 1] as number) + 1,
          (last[column - 1] as number) + (same ? 0 : 1),
        );
        const swapped =
          row > 1 &&
          column > 1 &&
          word.charCodeAt(row - 1) === other.charCodeAt(column - 2) &&
          word.charCodeAt(row - 2) === other.charCodeAt(column - 1);
        if (swapped) value = Math.min(value, (beforeLast[column - 2] as number) + 1);
        current[column] = value;
        if (value < best) best = value;
      }
      if (best > most) return false;
      [beforeLast, last, current] = [last, current, beforeLast];
    }
    return (last[other.length] as number) <= most;
  };
}
