/** A namespace as a skill shows it. */
export interface SkillNamespace {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly { readonly name: string; readonly signature: string }[];
}

/** What a skill is made from. */
export interface SkillFacts {
  readonly name: string;
  readonly namespaces: readonly SkillNamespace[];
}

/** The heading by which a skill that was made here is known. */
export const SKILL_TITLE = "# Tools behind Pinhole";

/** However much is registered, a skill has no more characters than this. */
export const MOST_CHARACTERS = 8_000;
/** What clients take as the description of a skill. */
const MOST_IN_DESCRIPTION = 1_000;
const MOST_IN_LINE = 160;

/** The text of a skill: what there is, bounded, and the three steps. */
export function skillText({ name, namespaces }: SkillFacts): string {
  const head = `---
name: ${name}
description: ${JSON.stringify(descriptionOf(namespaces))}
---

${SKILL_TITLE}

Many tools, called operations, stand behind one MCP server. They are not listed one by one: look up what you need.

1. **search** finds operations by what they do: \`{"query": "${queryFor(namespaces)}"}\`. Ask for one capability at a time, or for several
   as a list. Each hit has a signature, which is mostly enough to call it.
2. **schema** shows exactly what goes in and comes out, where a signature is not enough: \`{"names": ["${exampleOf(namespaces)}"]}\`.
3. **call** runs one operation: \`{"operation": "${exampleOf(namespaces)}", "input": {…}}\`. **batch** runs several that do not depend on each
   other. \`select\` (JMESPath) keeps only a part of a large result.

Errors say what to do next: where the input does not fit, the nearest names, whether another try helps. Do not guess names:
search first. Without a query, search lists the namespaces as they are now; this list may be older.

## Namespaces

`;
  return head + withinLimit(namespaces, MOST_CHARACTERS - head.length);
}

function withinLimit(namespaces: readonly SkillNamespace[], limit: number): string {
  let text = "";
  for (const [index, namespace] of namespaces.entries()) {
    const rest = `- and ${namespaces.length - index} more: search without a query lists them.\n`;
    const entry = entryOf(namespace);
    if (text.length + entry.length + rest.length > limit) return text + rest;
    text += entry;
  }
  return text === "" ? "There are none yet.\n" : text;
}

function entryOf({ name, description, examples }: SkillNamespace): string {
  const about = description === "" ? "" : `: ${short(description)}`;
  const lines = examples.map((example) => `  - ${short(`\`${example.name}${example.signature}\``)}\n`);
  return `- **${name}**${about}\n${lines.join("")}`;
}

function descriptionOf(namespaces: readonly SkillNamespace[]): string {
  const start = "Finds and calls tools behind the Pinhole MCP server. Use it whenever a task needs one of: ";
  const names = namespaces.map(({ name }) => name).join(", ") || "what is registered there";
  // What a namespace is for says more than its name, as long as there is room for it.
  const told = namespaces.map(({ name, description }) =>
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
