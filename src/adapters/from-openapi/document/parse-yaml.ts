import { parse } from "yaml";

const MAX_ALIASES = 10_000;

/** Reads a document in YAML; throws what is wrong with it. */
export function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: MAX_ALIASES, merge: true, logLevel: "error", uniqueKeys: false });
}
