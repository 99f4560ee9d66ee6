import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { CONFIG_FILE, keepCopy, readEditable } from "../../../config/index.ts";
import {
  editorSchema,
  type NewIdentity,
  newIdentity,
  writeConfig,
} from "../../../operator/configuration/index.ts";
import { type Invocation, UsageError } from "../../command.ts";
import { ask, askYesNo } from "../../questions.ts";

const SCHEMA_FILE = "pinhole.schema.json";

/** Asks a few questions and writes a first configuration. */
export async function runInit(invocation: Invocation): Promise<void> {
  const { terminal, directory } = invocation;
  const editable = await readEditable(undefined, directory);
  if (editable.exists) await agreeToReplace(invocation);
  const port = await portOf(invocation);
  const identity = await identityOf(invocation);
  const hasEditorHelp = await editorHelp(invocation);

  const kept = editable.exists ? await keepCopy(editable.file) : undefined;
  const schema = hasEditorHelp ? `./${SCHEMA_FILE}` : undefined;
  await writeConfig(editable, firstConfig({ port, identity, schema }));
  if (hasEditorHelp)
    await writeFile(join(directory, SCHEMA_FILE), `${JSON.stringify(editorSchema(), null, 2)}\n`);

  const keptText = kept === undefined ? "" : ` The previous file is kept as ${basename(kept)}.`;
  terminal.print(`Wrote ${CONFIG_FILE}${hasEditorHelp ? ` and ${SCHEMA_FILE}` : ""}.${keptText}`);
  if (identity) {
    terminal.print(
      `\nThe token of ${identity.id}, shown this once; keep it like a password:\n\n  ${identity.token}\n\n` +
        "For the commands of this program: export PINHOLE_TOKEN=… with it.",
    );
  }
  terminal.print(
    "\nNext:\n" +
      "  pinhole add NAME URL-OR-FILE   adds an MCP server, an API or a plugin\n" +
      "  pinhole serve                  starts the gateway\n" +
      "  pinhole connect claude         shows how to connect an agent (or cursor, vscode)",
  );
}

async function agreeToReplace(invocation: Invocation): Promise<void> {
  if (invocation.switches.has("force")) return;
  const replaces = await askYesNo(invocation, {
    text: `There is a ${CONFIG_FILE} here already. Replace it (a copy is kept)`,
    fallback: false,
    instead: "--force to replace it",
  });
  if (!replaces)
    throw new UsageError(
      `${CONFIG_FILE} stays as it is. To add a source to it: pinhole add NAME URL-OR-FILE`,
    );
}

async function portOf(invocation: Invocation): Promise<number> {
  const problem = (text: string) =>
    /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
      ? undefined
      : "A port is a number from 1 to 65535.";
  const given = invocation.options.port;
  if (given !== undefined && problem(given)) throw new UsageError(`--port: ${problem(given)}`);
  const question = { text: "Port to listen on", fallback: "7464", instead: "--port PORT, or --yes", problem };
  return Number(given ?? (await ask(invocation, question)));
}

/** The identity that may call; undefined if every program on this machine may. */
async function identityOf(invocation: Invocation): Promise<NewIdentity | undefined> {
  const given = invocation.options.token ?? (await askForId(invocation));
  if (given === undefined) return undefined;
  const identity = newIdentity(given);
  if ("problem" in identity) throw new UsageError(`--token: ${identity.problem}`);
  return identity;
}

async function askForId(invocation: Invocation): Promise<string | undefined> {
  const wantsOne = await askYesNo(invocation, {
    text: "Require a token? Without one, any program on this machine can call",
    fallback: false,
    instead: "--token ID for yes, or --yes for the default answers",
  });
  if (!wantsOne) return undefined;
  return ask(invocation, {
    text: "Name for this token",
    fallback: "agent",
    instead: "--token ID",
    problem: (id) => {
      const identity = newIdentity(id);
      return "problem" in identity ? identity.problem : undefined;
    },
  });
}

async function editorHelp(invocation: Invocation): Promise<boolean> {
  if (invocation.switches.has("editor")) return true;
  return askYesNo(invocation, {
    text: `Write ${SCHEMA_FILE} too, so that editors complete and check ${CONFIG_FILE}`,
    fallback: false,
    instead: "--editor for yes, or --yes for the default answers",
  });
}

/** Facts for a first configuration. */
interface FirstConfig {
  readonly port: number;
  readonly identity: { readonly id: string; readonly tokenHash: string } | undefined;
  /** Path of its schema, if there is one. */
  readonly schema: string | undefined;
}

/** The text of a first configuration: few settings, and comments that show further ones. */
function firstConfig({ port, identity, schema }: FirstConfig): string {
  const help = schema === undefined ? "" : `# yaml-language-server: $schema=${schema}\n`;
  return `${help}# Pinhole is a gateway between agents and tools. \`pinhole serve\` reads this file and follows its changes;
# \`pinhole doctor\` says what is wrong with it and with what it names.

server:
  port: ${port} # agents: http://127.0.0.1:${port}/mcp, programs: http://127.0.0.1:${port}/openapi.json

# Where operations come from. \`pinhole add NAME URL-OR-FILE\` finds out what something is and writes it here:
#
#   github:                                   # its tools become github/create_issue and so on
#     mcp: https://mcp.example.com/mcp        # or openapi: ./api.yaml, or plugin: ./operations.ts
#     token: { env: GITHUB_TOKEN }            # where the secret is, never the secret itself
#     external: "*"                           # what callers can reach: everything, or patterns
#     scopes: [github]                        # what a caller must have; leave out for nothing
sources: {}

${
  identity
    ? `# Who may call, by the hash of a token; a caller without one is refused. \`pinhole token NAME\` makes another one.
identities:
  - id: ${JSON.stringify(identity.id)}
    tokenHash: ${JSON.stringify(identity.tokenHash)}
    scopes: [operator] # add the scopes that sources ask for
`
    : `# Who may call. While no identity is named, the gateway listens to this machine only. \`pinhole token NAME\` makes one:
#
# identities:
#   - { id: ci, tokenHash: "sha256:…", scopes: [github] }
#
# From then on a caller without a token is refused, unless access: { anonymous: true } is there too.
`
}
# Operations that are switched off for everyone, by name or pattern:
# deny: ["github/delete*"]
`;
}
