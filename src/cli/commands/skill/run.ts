import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { RESERVED_NAMESPACES } from "../../../core/index.ts";
import { answered } from "../../answered.ts";
import { type Invocation, UsageError } from "../../command.ts";
import { withNode } from "../../node.ts";
import type { PinholeNode } from "../../pinhole-node.ts";
import { withProgress } from "../../progress.ts";
import { SKILL_TITLE, type SkillNamespace, skillText } from "./skill-text.ts";

/** So many namespaces are shown with examples of what is in them. */
const WITH_EXAMPLES = 12;
const EXAMPLES = 3;
/** Some of what is found may be left out. */
const LOOKED_AT = 12;

/** Makes a skill from what is registered, and writes or prints it. */
export async function runSkill(invocation: Invocation): Promise<void> {
  const { options, terminal, directory } = invocation;
  const name = options.name ?? "pinhole";
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name))
    throw new UsageError("--name: small letters, digits and hyphens, 64 at most, such as team-tools.");
  const namespaces = await withNode(invocation, (node) =>
    withProgress(terminal, "Looking at what there is", () => namespacesOf(node)),
  );
  const text = skillText({ name, namespaces });
  if (options.out === undefined) return terminal.print(text.trimEnd());
  const file = resolve(directory, options.out);
  const before = await readFile(file, "utf8").catch(() => "");
  if (before !== "" && !before.includes(SKILL_TITLE))
    throw new UsageError(
      `${options.out} was not made by this command, and is not replaced. Choose another file.`,
    );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  terminal.print(`Wrote ${options.out}: ${namespaces.length} namespaces, ${text.length} characters.`);
}

async function namespacesOf(node: PinholeNode): Promise<readonly SkillNamespace[]> {
  const answer = answered(await node.ask("search", {}));
  const all = (answer.namespaces ?? []) as readonly Omit<SkillNamespace, "examples">[];
  const own = all.filter(({ name }) => !RESERVED_NAMESPACES.has(name));
  return Promise.all(
    own.map(async (namespace, index) => {
      if (index >= WITH_EXAMPLES) return { ...namespace, examples: [] };
      const input = {
        namespace: namespace.name,
        query: namespace.description || namespace.name,
        limit: LOOKED_AT,
      };
      const { operations = [] } = answered(await node.ask("search", input));
      const found = operations as readonly (SkillNamespace["examples"][number] & { readonly type: string })[];
      // Agents speak MCP, which carries no streams.
      const callable = found.filter(({ type }) => type !== "subscription");
      return { ...namespace, examples: callable.slice(0, EXAMPLES) };
    }),
  );
}
