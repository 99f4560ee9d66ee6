/** The scopes in a text that has them one after the other (RFC 6749, section 3.3). */
export function scopesIn(text: string | undefined): readonly string[] {
  return text?.split(" ").filter((scope) => scope !== "") ?? [];
}

/** Each scope once, in the order in which they first come. */
export function scopesOf(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** Whether all of them are among the others. */
export function areAmong(scopes: readonly string[], others: readonly string[]): boolean {
  return scopes.every((scope) => others.includes(scope));
}
