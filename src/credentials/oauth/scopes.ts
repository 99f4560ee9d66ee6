/** The scopes in a text that has them one after the other (RFC 6749, section 3.3). */
export function scopesIn(text: string | undefined): readonly string[] {
  return text?.split(" ").filter((scope) => scope !== "") ?? [];
}

/** What scopes are made of in practice; the grammar also allows what a shell would run. */
const PLAIN = /^[A-Za-z0-9_:./+@*~,=-]{1,200}$/;
const MOST = 100;

/** The scopes of a server that can be shown to people, who may copy them into a command line; others are left out. */
export function plainScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => PLAIN.test(scope)).slice(0, MOST);
}

/** Each scope once, in the order in which they first come. */
export function scopesOf(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** Whether all of them are among the others. */
export function areAmong(scopes: readonly string[], others: readonly string[]): boolean {
  return scopes.every((scope) => others.includes(scope));
}
