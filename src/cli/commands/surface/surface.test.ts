import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { COMMANDS } from "../../commands.ts";
import { MOST_CHARACTERS, skillText } from "../skill/skill-text.ts";

test("surface lists each tool with its tokens, the total, and the cost of all operations", async (t) => {
  const folder = createCliFolder(t);
  const { code, out } = await folder.run("surface");
  assert.equal(code, 0);
  assert.match(
    out,
    /\n {2}search +\d+\n {2}schema +\d+\n {2}call +\d+\n {2}batch +\d+\n {2}instructions +\d+\n {2}-+\n {2}total +\d{3}\n/,
  );
  assert.match(
    out,
    /Behind it: \d+ operations in 3 namespaces, without those of Pinhole itself\.\nEach as a tool of its own: about [\d,]+ tokens/,
  );
  const answer = JSON.parse((await folder.run("surface", "--json")).out);
  assert.equal(answer.listed.length, answer.tools);
  assert.ok(answer.tokens <= 700);
  const parts = answer.listed.reduce((sum: number, { tokens }: { tokens: number }) => sum + tokens, 0);
  assert.equal(answer.tokens, parts + answer.instructionTokens);
});

test("surface lists the tools of exposed facets", async (t) => {
  const config =
    'sources: { local: { plugin: ./ops.mjs } }\nfacets: { mine: ["local/*"] }\nmcp: { expose: [core, mine] }\n';
  const plugin = `export default { source: { name: "local" }, registrations: [{ spec: ${JSON.stringify({
    name: "local/hi",
    namespace: "local",
    type: "query",
    visibility: "external",
    description: "Says hi.",
    inputSchema: { type: "object" },
    outputSchema: {},
    errors: [],
    access: {},
    mutates: false,
  })}, handler: { kind: "once", run: () => "hi" }, provenance: "local" }] };`;
  const folder = createCliFolder(t, { files: { "pinhole.yaml": config, "ops.mjs": plugin } });
  const { out } = await folder.run("surface");
  assert.match(out, /Exposed: core, mine \(by mcp\.expose\)/);
  assert.match(out, /\n {2}local_hi +\d+\n/);
  assert.match(
    out,
    /\n1 tool from facets \(mine\): \d+ of these tokens\.\n\nBehind it: 1 operation in 1 namespace,/,
  );
});

test("surface without sources claims no savings", async (t) => {
  const folder = createCliFolder(t, { files: { "pinhole.yaml": "sources: {}\n" } });
  const { operations, directTokens } = JSON.parse((await folder.run("surface", "--json")).out);
  assert.deepEqual([operations, directTokens], [0, 0]);
  assert.doesNotMatch((await folder.run("surface")).out, /as a tool of its own/);
});

test("skill writes a file with the namespaces and the three steps", async (t) => {
  const folder = createCliFolder(t);
  const { code, out } = await folder.run(
    "skill",
    "--out",
    ".claude/skills/tools/SKILL.md",
    "--name",
    "tools",
  );
  assert.equal(code, 0);
  assert.match(out, /^Wrote \.claude\/skills\/tools\/SKILL\.md: 3 namespaces/);
  const text = folder.read(".claude/skills/tools/SKILL.md");
  assert.match(
    text,
    /^---\nname: tools\ndescription: ".*one of: shop \(A bookshop .*\), text \(.*\), time \(.*\)\."\n---\n/,
  );
  for (const step of ['**search** finds operations by what they do: `{"query": "order book"}`', "**schema**"])
    assert.ok(text.includes(step), step);
  for (const step of ["**call**", "- **shop**: A bookshop", "`shop/findBooks("])
    assert.ok(text.includes(step), step);
  assert.doesNotMatch(text, /trackOrder|countdown/, "an agent cannot call a stream");
  assert.doesNotMatch(text, /\*\*services\*\*/);
  assert.equal((await folder.run("skill", "--name", "Not This")).code, 2);
  assert.equal((await folder.run("skill", "--out", ".claude/skills/tools/SKILL.md")).code, 0, "made anew");
  const mine = createCliFolder(t, { files: { "SKILL.md": "# My own\n" } });
  const { code: refused, errors } = await mine.run("skill", "--out", "SKILL.md");
  assert.deepEqual([refused, mine.read("SKILL.md")], [2, "# My own\n"]);
  assert.match(errors, /was not made by this command/);
});

test("a skill stays small for any number of operations", () => {
  const namespaces = Array.from({ length: 5_000 }, (_, index) => ({
    name: `namespace-${index}`,
    description: "word ".repeat(400),
    examples: [
      {
        name: `namespace-${index}/${"x".repeat(500)}`,
        signature: `(${"y: string, ".repeat(500)})`,
        writes: true,
      },
    ],
  }));
  const tools = namespaces.map(({ name, description }) => ({ name, description, writes: false }));
  const alone = skillText({ name: "big", hasCore: false, tools, namespaces: [] });
  assert.ok(alone.length <= MOST_CHARACTERS, `${alone.length}`);
  const text = skillText({ name: "big", hasCore: true, tools, namespaces });
  assert.ok(text.length <= MOST_CHARACTERS, `${text.length}`);
  assert.match(text, /- and \d+ more: search without a query lists them\.\n$/);
  assert.ok((/^description: (.*)$/m.exec(text)?.[1] ?? "").length < 1_100);
});

test("completion covers every command and option", async (t) => {
  const folder = createCliFolder(t);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, out } = await folder.run("completion", shell);
    assert.equal(code, 0);
    for (const { name } of COMMANDS) assert.match(out, new RegExp(`\\b${name}\\b`), `${shell}: ${name}`);
    assert.match(out, shell === "fish" ? /-l port -r/ : /--port/);
  }
});

test("bash completes a command line with the script of completion", {
  skip: !hasBash() && "no bash here",
}, async (t) => {
  const { out } = await createCliFolder(t).run("completion", "bash");
  const complete = (...words: string[]) =>
    execFileSync("bash", [
      "-c",
      `${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _pinhole; echo "\${COMPREPLY[*]}"`,
    ])
      .toString()
      .trim();
  assert.equal(complete("pinhole", "conn"), "connect");
  assert.equal(complete("pinhole", "connect", "c"), "claude cursor");
  assert.equal(complete("pinhole", "serve", "--po"), "--port");
  assert.equal(complete("pinhole", "serve", "--config", ""), "", "files, which bash completes by itself");
});

function hasBash(): boolean {
  try {
    execFileSync("bash", ["-c", "type complete"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
