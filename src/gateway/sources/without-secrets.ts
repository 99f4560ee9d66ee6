import type { Redactor } from "../../core/index.ts";

const ADDRESS = /\bhttps?:\/\/[^\s"'<>]+/gi;

/** A text that may be shown: without secrets, and without the parts of addresses that may hold some. */
export function withoutSecrets(text: string, redactor: Redactor): string {
  return redactor.text(text).replaceAll(ADDRESS, bare);
}

function bare(address: string): string {
  if (!URL.canParse(address)) return "[address]";
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname === "/" && !address.endsWith("/") ? "" : pathname}`;
}
