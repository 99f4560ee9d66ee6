/** A count in words: "1 tool", "1,200 operations". */
export function count(howMany: number, what: string): string {
  return `${number(howMany)} ${what}${howMany === 1 ? "" : "s"}`;
}

/** A number as people read it. */
export function number(value: number): string {
  return value.toLocaleString("en");
}
