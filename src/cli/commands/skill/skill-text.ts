/** A namespace as a skill shows it, with some of its operations. */
export interface SkillNamespace {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly {
    readonly name: string;
    readonly signature: string;
    readonly writes: boolean;
  }[];
}

/** A tool that is listed besides the four, or instead of them. */
interface SkillTool {
  readonly name: string;
  readonly description: string;
  readonly writes: boolean;
}

/** Facts for a skill. */
export interface SkillFacts {
  readonly name: string;
  /** True if search, schema, call and batch are listed. */
  readonly hasCore: boolean;
  readonly tools: readonly SkillTool[];
  readonly namespaces: readonly SkillNamespace[];
}

/** The heading that marks a generated skill. */
export const SKILL_TITLE = "# Tools behind Pinhole";

/** However much is registered, a skill has no more characters than this. */
export const MOST_CHARACTERS = 8_000;
/** Maximum length of a skill's description in clients. */
const MOST_IN_DESCRIPTION = 1_000;
const MOST_IN_LINE = 160;

/** The text of a skill: the available operations, bounded, and how to use them. */
export function skillText(facts: SkillFacts): string {
  const { name, hasCore, tools, namespaces } = facts;
  const head = `---
name: ${name}
description: ${JSON.stringify(descriptionOf(facts))}
---

${SKILL_TITLE}

${hasCore ? stepsWith(namespaces) : "One MCP server lists the tools below. Call them by their names; there is no search."}

What is marked *writes* changes something. The rest only reads.

`;
  const listed = sectionOf("Tools", tools.map(toolEntry), {
    limit: (MOST_CHARACTERS - head.length) / (hasCore ? 2 : 1),
    rest: "the list of tools has them",
  });
  if (!hasCore) return head + (listed || "There are none yet.\n");
  const found = sectionOf("Namespaces", namespaces.map(entryOf), {
    limit: MOST_CHARACTERS - head.length - listed.length,
    rest: "search without a query lists them",
  });
  return `${head}${listed && `${listed}\n`}${found || "## Namespaces\n\nThere are none yet.\n"}`;
}

function stepsWith(namespaces: readonly SkillNamespace[]): string {
  const example = exampleOf(namespaces);
  return `Many tools, called operations, are behind one MCP server. Most are not listed one by one: look up what you need.

1. **search** finds operations by what they do: \`{"query": "${queryFor(namespaces)}"}\`. Ask for one capability at a time, or for several
   as a list. Each hit has a signature, which is mostly enough to call it.
2. **schema** shows exactly what goes in and comes out, where a signature is not enough: \`{"names": ["${example}"]}\`.
3. **call** runs one operation: \`{"operation": "${example}", "input": {…}}\`. **batch** runs several that do not depend on each
   other. \`select\` (JMESPath) keeps only a part of a large result.

Errors say what to do next: where the input does not fit, the nearest names, whether another try helps. Do not guess names:
search first. Without a query, search lists the namespaces as they are now; this list may be older.`;
}

/** A heading with as many entries as fit; empty without entries. */
function sectionOf(
  title: string,
  entries: readonly string[],
  { limit, rest }: { readonly limit: number; readonly rest: string },
): string {
  if (entries.length === 0) return "";
  let text = `## ${title}\n\n`;
  for (const [index, entry] of entries.entries()) {
    const more = `- and ${entries.length - index} more: ${rest}.\n`;
    if (text.length + entry.length + more.length > limit) return text + more;
    text += entry;
  }
  return text;
}

function toolEntry({ name, description, writes }: SkillTool): string {
  return `- \`${name}\`${writes ? " (*writes*)" : ""}: ${short(description)}\n`;
}

function entryOf({ name, description, examples }: SkillNamespace): string {
  const about = description === "" ? "" : `: ${short(description)}`;
  const lines = examples.map(
    (example) =>
      `  - ${short(`\`${example.name}${example.signature}\``)}${example.writes ? " (*writes*)" : ""}\n`,
  );
  return `- **${name}**${about}\n${lines.join("")}`;
}

function descriptionOf({ hasCore, tools, namespaces }: SkillFacts): string {
  const names = [...tools, ...namespaces].map(({ name }) => name).join(", ") || "what is registered there";
  const start = `${hasCore ? "Finds and calls" : "Calls"} tools behind the Pinhole MCP server. Use it whenever a task needs one of: `;
  // A description says more than a name, as long as it fits.
  const told = [...tools, ...namespaces].map(({ name, description }) =>
    description === "" ? name : `${name} (${short(description).replace(/\.$/, "")})`,
  );
  const long = `${start}${told.join(", ") || names}.`;
  if (long.length <= MOST_IN_DESCRIPTION) return long;
  const text = `${start}${names}.`;
  return text.length <= MOST_IN_DESCRIPTION ? text : `${text.slice(0, MOST_IN_DESCRIPTION)}…`;
}

function exampleOf(namespaces: readonly SkillNamespace[]): string {
  return namespaces[0]?.examples[0]?.name ?? "text/stats";
}

function queryFor(namespaces: readonly SkillNamespace[]): string {
  const [, last = "count the words of a text"] = exampleOf(namespaces).split("/");
  return last
    .replaceAll(/[_-]+/g, " ")
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
    .replaceAll(/["\\]/g, "")
    .toLowerCase();
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= MOST_IN_LINE ? line : `${line.slice(0, MOST_IN_LINE - 1)}…`;
}
