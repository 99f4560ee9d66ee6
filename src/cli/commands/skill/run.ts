import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isRecord, RESERVED_NAMESPACES, type UnknownRecord } from "../../../core/index.ts";
import { ACTIONS, type PinholeNode } from "../../../operator/node/index.ts";
import { CommandFailed, type Invocation, UsageError } from "../../command.ts";
import { withNode } from "../../node.ts";
import { withProgress } from "../../terminal.ts";
import { count } from "../../text.ts";
import { SKILL_TITLE, type SkillFacts, type SkillNamespace, skillText } from "./skill-text.ts";

/** Number of namespaces that are shown with examples. */
const WITH_EXAMPLES = 12;
const EXAMPLES = 3;

/** Creates a skill from the registered operations, and writes or prints it. */
export async function runSkill(invocation: Invocation): Promise<void> {
  const { options, terminal, directory } = invocation;
  const name = options.name ?? "pinhole";
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name))
    throw new UsageError("--name: small letters, digits and hyphens, 64 at most, such as team-tools.");
  const facts = await withNode(invocation, (node) =>
    withProgress(terminal, "Looking at what there is", () => factsOf(createMcpView(node))),
  );
  const text = skillText({ name, ...facts });
  if (options.out === undefined) return terminal.print(text.trimEnd());
  const file = resolve(directory, options.out);
  const before = await readFile(file, "utf8").catch(() => "");
  if (before !== "" && !before.includes(SKILL_TITLE))
    throw new UsageError(
      `${options.out} was not made by this command, and is not replaced. Choose another file.`,
    );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  const has = facts.hasCore ? count(facts.namespaces.length, "namespace") : count(facts.tools.length, "tool");
  terminal.print(`Wrote ${options.out}: ${has}, ${text.length} characters.`);
}

/** A caller's view through MCP: its listed tools, and what it finds with them. */
async function factsOf(view: McpView): Promise<Omit<SkillFacts, "name">> {
  const listed = await view.tools();
  const isCore = ({ name }: ListedTool) => ACTIONS.some((action) => action === name);
  const hasCore = listed.some(isCore);
  const tools = listed
    .filter((tool) => !isCore(tool))
    .map(({ name, description = "", annotations }) => ({
      name,
      description,
      writes: annotations?.readOnlyHint !== true,
    }));
  return { hasCore, tools, namespaces: hasCore ? await namespacesOf(view) : [] };
}

interface Hit {
  readonly name: string;
  readonly type: string;
  readonly mutates?: boolean;
  readonly signature: string;
}

async function namespacesOf(view: McpView): Promise<readonly SkillNamespace[]> {
  const { namespaces = [] } = await view.call("search", {});
  const all = namespaces as readonly Omit<SkillNamespace, "examples">[];
  const own = all.filter(({ name }) => !RESERVED_NAMESPACES.has(name));
  return Promise.all(
    own.map(async (namespace, index) => {
      if (index >= WITH_EXAMPLES) return { ...namespace, examples: [] };
      const query = namespace.description || namespace.name;
      const { operations = [] } = await view.call("search", {
        namespace: namespace.name,
        query,
        limit: EXAMPLES,
      });
      const examples = (operations as readonly Hit[]).map(({ name, type, mutates, signature }) => ({
        name,
        signature,
        writes: type === "mutation" || mutates === true,
      }));
      return { ...namespace, examples };
    }),
  );
}

const REVISION = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";

/** A tool as `tools/list` shows it. */
interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

/** A node as an MCP client has it. */
interface McpView {
  tools(): Promise<readonly ListedTool[]>;
  /** The result of a tool, as data. */
  call(name: string, given: object): Promise<UnknownRecord>;
}

/** A node as an MCP client sees it: only listed tools exist. */
function createMcpView(node: PinholeNode): McpView {
  async function ask(method: string, params: { readonly name?: string } = {}): Promise<UnknownRecord> {
    const _meta = {
      [`${PREFIX}protocolVersion`]: REVISION,
      [`${PREFIX}clientCapabilities`]: {},
      [`${PREFIX}clientInfo`]: { name: "pinhole-skill", version: "1" },
    };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      ...(params.name !== undefined && { "mcp-name": params.name }),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
    const { result, error } = await node.mcp({ headers, body });
    if (isRecord(result)) return result;
    const reason = isRecord(error) ? error.message : "It does not answer as MCP servers do.";
    throw new CommandFailed(1, `${node.where} does not show its tools: ${reason}`);
  }

  return {
    async tools() {
      return (await ask("tools/list")).tools as readonly ListedTool[];
    },
    async call(name, given) {
      const params = { name, arguments: given };
      const { structuredContent } = await ask("tools/call", params);
      return isRecord(structuredContent) ? structuredContent : {};
    },
  };
}
