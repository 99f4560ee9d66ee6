/** `node test/support/docs-refresh.ts`: writes anew those parts of the documents that are made from the code. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandSections } from "./docs-cli.ts";
import { configTables } from "./docs-config.ts";
import { type Page, readPage } from "./docs-pages.ts";
import { ROOT } from "./source-files.ts";

const BEGIN = "<!-- made by: node test/support/docs-refresh.ts -->";
const END = "<!-- end of what is made -->";

/** The documents with such a part, and what makes it. */
export const MADE: Readonly<Record<string, () => string | Promise<string>>> = {
  "docs/configuration.md": () => configTables(),
  "docs/cli.md": () => commandSections(),
};

/** A document as it should be. */
export async function madePage(path: string): Promise<Page> {
  const { text } = readPage(path);
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${path} has lost its marks: ${BEGIN} and ${END}.`);
  const made = await MADE[path]?.();
  return { path, text: `${text.slice(0, begin)}${BEGIN}\n\n${made}\n\n${text.slice(end)}` };
}

if (import.meta.main) {
  for (const path of Object.keys(MADE)) writeFileSync(join(ROOT, path), (await madePage(path)).text);
}
