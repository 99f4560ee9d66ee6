/** Tells whether a name fits one of a set of patterns. */
export type Matches = (name: string) => boolean;

/**
 * Compiles patterns in which `*` matches any run of characters, slashes included:
 * `github/*review*`, `west/*`, `*`.
 */
export function compilePatterns(patterns: readonly string[]): Matches {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes("*")));
  const globs = patterns.filter((pattern) => pattern.includes("*"));
  return (name) => exact.has(name) || globs.some((glob) => matchesGlob(glob, name));
}

/** Two pointers and one point to come back to, so no pattern can make it slow. */
function matchesGlob(glob: string, name: string): boolean {
  let at = 0;
  let position = 0;
  let starAt = -1;
  let resumeFrom = 0;
  while (position < name.length) {
    if (glob[at] === "*") {
      starAt = at++;
      resumeFrom = position;
    } else if (glob[at] === name[position]) {
      at++;
      position++;
    } else if (starAt >= 0) {
      at = starAt + 1;
      position = ++resumeFrom;
    } else {
      return false;
    }
  }
  while (glob[at] === "*") at++;
  return at === glob.length;
}
