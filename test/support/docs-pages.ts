import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ROOT } from "./source-files.ts";

/** One document, by its path from the root. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** A piece of code in a document; indented code has no language. */
export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** Every document of the repository that people read. */
export function readPages(): readonly Page[] {
  const paths = ["*.md", "docs/**/*.md", "examples/**/*.md"].flatMap((pattern) =>
    globSync(pattern, { cwd: ROOT, exclude: ["**/node_modules/**"] }),
  );
  return paths.sort().map((path) => readPage(path.replaceAll("\\", "/")));
}

/** One document. */
export function readPage(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

/** All code of a document: what is fenced, and what is indented by four spaces after an empty line. */
export function codeBlocks({ path: page, text }: Page): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const start = index;
    const fence = /^(```+)(\w*)/.exec(lines[index] ?? "");
    if (fence) {
      const end = lines.findIndex((line, at) => at > start && line.startsWith(fence[1] ?? ""));
      index = end < 0 ? lines.length : end;
      const code = lines.slice(start + 1, index).join("\n");
      blocks.push({ page, line: start + 1, language: fence[2] ?? "", code });
    } else if (/^ {4}\S/.test(lines[index] ?? "") && (lines[index - 1] ?? "").trim() === "") {
      while (index + 1 < lines.length && /^(?: {4}.*|\s*)$/.test(lines[index + 1] ?? "")) index++;
      const code = lines
        .slice(start, index + 1)
        .map((line) => line.slice(4))
        .join("\n");
      blocks.push({ page, line: start + 1, language: "", code: code.trimEnd() });
    }
  }
  return blocks;
}

/** A document without its code blocks; the other lines keep their places. */
export function proseOf(page: Page): string {
  const lines = page.text.split("\n");
  for (const { line, code } of codeBlocks(page)) {
    const fences = lines[line - 1]?.startsWith("```") ? 2 : 0;
    lines.fill("", line - 1, line - 1 + code.split("\n").length + fences);
  }
  return lines.join("\n");
}

/** What is wrong with the links of documents that lead to files of the repository. */
export function brokenLinks(pages: readonly Page[]): readonly string[] {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  return pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, link = ""]) => {
      if (/^[a-z]+:/i.test(link)) return [];
      const [file = "", anchor] = link.split("#");
      const target =
        file === "" ? page.path : normalize(join(dirname(page.path), file)).replaceAll("\\", "/");
      if (target.startsWith("..") || !existsSync(join(ROOT, target)))
        return [`${page.path}: ${link} leads nowhere`];
      const there = byPath.get(target);
      const isMissing = anchor !== undefined && !(there && anchorsOf(there).has(anchor));
      return isMissing ? [`${page.path}: ${link} names no heading of ${target}`] : [];
    }),
  );
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(page: Page): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of proseOf(page).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const base = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = base;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${base}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}
