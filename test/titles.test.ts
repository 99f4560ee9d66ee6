import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ROOT } from "./support/source-files.ts";

/** The beginning of a title that only continues the title of its group. */
const FRAGMENT =
  /^(?:is|are|has|have|does|do|may|can|cannot|that|whose|of(?! (?:two|many|any) )|with(?! --| an? \w+,)|by|to|because|and|or|but|gets?|asks?|tells?|refuses?|takes?|says?|goes|go|keeps?|lets?|brings?|learns?|hands?|makes?|sends|stays?|fails?|serves)\b/;
const TITLE = /^ *(?:test|it)(?:\.\w+)?\(\s*(?:"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/gm;

test("the title of every test is a whole sentence, so that it makes sense alone in a report", () => {
  const fragments = fragmentsIn(globSync("{src,test,bench,examples}/**/*.test.ts", { cwd: ROOT }));
  assert.deepEqual(fragments, []);
});

function fragmentsIn(files: readonly string[]): readonly string[] {
  return files.flatMap((file) =>
    [...readFileSync(`${ROOT}/${file}`, "utf8").matchAll(TITLE)]
      .map(([, plain, template]) => plain ?? template ?? "")
      .filter((title) => FRAGMENT.test(title))
      .map((title) => `${file}: ${title}`),
  );
}
