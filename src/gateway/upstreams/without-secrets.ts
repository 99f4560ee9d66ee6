const ADDRESS = /\bhttps?:\/\/[^\s"'<>]+/gi;

/** A text that may be shown: without the secrets that are given, and without the parts of addresses that may hold some. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const found = secrets.filter((secret) => secret !== "");
  const clean = found.reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
  return clean.replaceAll(ADDRESS, bare);
}

function bare(address: string): string {
  if (!URL.canParse(address)) return "[address]";
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname === "/" && !address.endsWith("/") ? "" : pathname}`;
}
