import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  missingEvidence,
  uncitedCells,
  unprovedFigures,
  unprovedItems,
  unsaidMessages,
  wrongCommands,
} from "./docs-claims.ts";
import { configTables } from "./docs-config.ts";
import { brokenLinks, codeBlocks, type Page, proseOf } from "./docs-pages.ts";

function page(...lines: string[]): Page {
  return { path: "README.md", text: lines.join("\n") };
}

describe("the checks of documents find", () => {
  test("the checks of documents find links to files and headings that are not there", () => {
    const links = page(
      "# One thing",
      "[a](docs/errors.md) [b](docs/none.md) [c](#one-thing) [d](#two) [e](https://x.org/#y)",
    );
    assert.deepEqual(brokenLinks([links]), [
      "README.md: docs/none.md leads nowhere",
      "README.md: #two names no heading of README.md",
    ]);
  });

  test("the checks of documents find commands that the program does not have, in sentences and in shells", async () => {
    const typed = page(
      "Run `pinhole serv` or `pinhole serve --port 1`.",
      "",
      "    TOKEN=x pinhole serve --prot 1   # no",
      "    echo | pinhole call a/b '{\"x\": 1}' --select y",
      "",
      "```console",
      "$ pinhole add [name] --nope",
      "pinhole is not typed here",
      "```",
    );
    const wrong = await wrongCommands(typed);
    assert.deepEqual(
      wrong.map((problem) => /There is no \w+ \S+/.exec(problem)?.[0]),
      ["There is no option --prot.", "There is no option --nope.", 'There is no command "serv".'],
    );
  });

  test("the checks of documents find figures without proof, and proof that is not there", () => {
    const claims = page(
      "It takes 12 ms.",
      "",
      "| a | 5 % | `npm run bench` |",
      "| b | 6 % |",
      "",
      "Since 2026-07-28, on Node 20 and OpenAPI 3.0 or 3.1, at `/x/12`, see [y](z12.md).",
      "",
      "Held: 700 (`test/none.test.ts`, `npm run nothing`).",
    );
    assert.deepEqual(unprovedFigures(claims), ["It takes 12 ms.", "| b | 6 % |"]);
    const items = page(
      "| head |",
      "| --- |",
      "| row |",
      "| `npm test` |",
      "",
      "- item",
      "- `src/core/index.ts`",
    );
    assert.deepEqual(unprovedItems(items), ["| row |", "- item"]);
    assert.deepEqual(missingEvidence(claims), ["test/none.test.ts", "npm run nothing"]);
  });

  test("the checks of documents find messages that no code prints, also those of which only parts are printed", () => {
    const said = [
      "There is nothing at this address.",
      "Port … on … is taken.",
      "Pinhole runs its TypeScript on Node 24",
    ];
    assert.deepEqual(unsaidMessages(said), []);
    const unsaid = ["There is something at this address.", "is taken. … There is nothing at this address."];
    assert.deepEqual(unsaidMessages(unsaid), unsaid);
  });

  test("the checks of documents find cells without a source, sources without a date or a use", () => {
    const table = page(
      "| | Ours | Theirs |",
      "| --- | --- | --- |",
      "| a | yes | yes |",
      "| b | [x](y.md) | no [q1] |",
      "| c | `a.ts` | |",
      "| d | `a.ts` | maybe [q3] |",
      "",
      "- **q1** https://example.com",
      "- **q2** https://example.com 2026-01-01",
    );
    assert.deepEqual(uncitedCells(table, "Ours"), [
      "q1 has no address or no date",
      "a / Ours names no document or test",
      "a / Theirs says something without a source",
      "d / Theirs cites q3, which is not listed",
      "q2 is cited nowhere",
    ]);
  });
});

test("code is told from prose, whether it is fenced or indented", () => {
  const mixed = page("a", "", "    b `c`", "", "    d", "e", "```ts", "f", "```", "g");
  assert.deepEqual(
    codeBlocks(mixed).map(({ language, code, line }) => [line, language, code]),
    [
      [3, "", "b `c`\n\nd"],
      [7, "ts", "f"],
    ],
  );
  assert.equal(proseOf(mixed).replaceAll("\n", ""), "aeg");
});

test("a table of keys shows what a schema says: kinds, bounds, defaults, options, names and lists", () => {
  const secret = { type: "object", properties: { env: {}, file: {} } };
  const schema = {
    properties: {
      one: {
        description: "One | thing.",
        properties: {
          port: { type: "integer", minimum: 0, maximum: 9, default: 7, flag: "port", description: "A port." },
          keys: { type: "object", additionalProperties: secret, description: "Keys." },
          deep: {
            type: "object",
            description: "Deep.",
            properties: { a: { enum: ["x", "y"], description: "*a*" } },
          },
        },
      },
      many: {
        description: "Many.",
        items: { properties: { id: { type: "string", description: "Who." } }, required: ["id"] },
      },
    },
  };
  assert.deepEqual(
    configTables(schema)
      .split("\n")
      .filter((line) => line.startsWith("| `")),
    [
      "| `port` | integer, 0 to 9 | `7` | A port. Option: `--port`. |",
      "| `keys` | map of names to secrets |  | Keys. |",
      "| `deep` | keys |  | Deep. |",
      "| `deep.a` | `x`, `y` |  | \\*a\\* |",
      "| `[].id` | text | required | Who. |",
    ],
  );
});
