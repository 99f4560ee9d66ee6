const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.-]+)+$/;

/**
 * The namespaces of the gateway's own operations. No source registers anything in them, and nothing in them is imported
 * from another node.
 */
export const RESERVED_NAMESPACES: ReadonlySet<string> = new Set([
  "services",
  "sources",
  "offers",
  "refs",
  "store",
  "routine",
  "calls",
  "access",
]);

/** The longest name that an operation may have. */
export const MAX_NAME_LENGTH = 200;

/** The name as the registry knows it: a caller may write `/github/create_issue` too. */
export function normaliseName(given: string): string {
  return given.startsWith("/") ? given.slice(1) : given;
}

/** A name as a caller wrote it, cut so that an invalid one cannot flood a message or a log. */
export function shownName(given: string): string {
  return given.length <= MAX_NAME_LENGTH ? given : `${given.slice(0, MAX_NAME_LENGTH - 1)}…`;
}

/** The first segment of a name: `github` of `github/create_issue`. */
export function namespaceOf(name: string): string {
  const slash = name.indexOf("/");
  return slash === -1 ? name : name.slice(0, slash);
}

/** What follows the last slash: `create_issue` of `github/create_issue`. */
export function lastSegmentOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** What is wrong with a name, as a sentence; undefined when it is a good one. */
export function problemOfName(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return `is longer than ${MAX_NAME_LENGTH} characters`;
  if (!NAME.test(name)) return "is not of the form namespace/name with letters, digits, '_', '.' and '-'";
  return undefined;
}
