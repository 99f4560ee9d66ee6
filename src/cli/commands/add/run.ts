import { dirname, isAbsolute, relative, resolve } from "node:path";
import {
  type EditableConfig,
  readEditable,
  type SourceEntry,
  withoutSource,
  withSource,
} from "../../../config/index.ts";
import { RESERVED_NAMESPACES } from "../../../core/index.ts";
import { writeConfig } from "../../../operator/configuration/index.ts";
import { type InspectedSource, inspectSource } from "../../../operator/inspect/index.ts";
import { adviceFor } from "../../client-servers.ts";
import { type Invocation, UsageError } from "../../command.ts";
import { askYesNo } from "../../questions.ts";
import { withProgress } from "../../terminal.ts";
import { count, number } from "../../text.ts";
import { type Credentials, credentialsFor } from "./credentials.ts";

const SOURCE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;
/** Commands that start stdio servers. */
const LAUNCHER = /^(?:npx|uvx?|pipx|bunx?|pnpm|yarn|deno|node|python3?|docker|podman)(?:\s|$)|^[\w./~-]+\s+-/;

/** Pattern of an address or a file, as opposed to a command. */
const PLACE = /^(?:https?|wss?):\/\/|\.(?:json|ya?ml|[cm]?[jt]s)$/i;

/** Shows the operations of a source, and writes it into the configuration. */
export async function runAdd(invocation: Invocation): Promise<void> {
  const { arguments: given, words, options, switches, terminal, directory } = invocation;
  const { name, place } = given;
  if (name === undefined || place === undefined) {
    throw new UsageError(
      "Say the name of the source and where it is: pinhole add github https://mcp.example.com/mcp",
    );
  }
  if (!SOURCE_NAME.test(name))
    throw new UsageError(
      `${JSON.stringify(name)} is not a valid source name: use letters, digits, _ . and - only.`,
    );
  if (RESERVED_NAMESPACES.has(name))
    throw new UsageError(`The gateway's own operations are called ${name}/…: choose another name.`);
  const [, command = "", ...args] = words;
  if (args.length > 0 && PLACE.test(command))
    throw new UsageError(
      `A source is at one place, and ${args[0]} is another. Put quotes around a path with spaces.`,
    );
  if (args.length > 0 || LAUNCHER.test(command)) {
    const [program = "", ...more] = args.length > 0 ? [command, ...args] : command.split(/\s+/);
    throw new UsageError(adviceFor({ kind: "program", name, command: program, args: more, env: [] }));
  }
  const editable = await readEditable(options.config, directory);
  const text = await textWithout(invocation, editable, name);
  const { found, credentials } = await look(invocation, name, place);
  refuseForeign(found.kind, options);
  const path = pathFrom(dirname(editable.file), directory);
  const entry = entryOf(found, credentials, { ...options, path: path(found.reference) });
  const lines = withSource("", name, entry).replaceAll(/^/gm, "  ").trimEnd();
  if (switches.has("dry-run"))
    return terminal.print(`\nThese lines would go into ${editable.displayPath}:\n\n${lines}`);

  await writeConfig(editable, withSource(text, name, entry));
  terminal.print(`\n${editable.exists ? "Written into" : "Made"} ${editable.displayPath}:\n\n${lines}\n`);
  terminal.print(nextStep(name, credentials, { ...invocation, found, isFollowed: editable.exists }));
}

/** Inspects the source; once more with a credential if it needs one. */
async function look(
  invocation: Invocation,
  name: string,
  place: string,
): Promise<{ readonly found: InspectedSource; readonly credentials: Credentials }> {
  const { terminal, directory, stop, env, options } = invocation;
  const inspect = (token?: string) =>
    withProgress(terminal, `Looking at ${place}`, () =>
      inspectSource({ name, reference: place, directory, signal: stop, token, server: serverOf(options) }),
    );
  const first = await inspect();
  terminal.print(explainFound(first));
  const credentials = await credentialsFor(invocation, name, first);
  const variable = credentials.variables.token;
  const token = variable === undefined ? undefined : env[variable];
  if (!first.locked || !token) return { found: first, credentials };
  const second = await inspect(token);
  if (!second.locked) {
    terminal.print(`\n${explainFound(second)}`);
    return { found: { ...second, documentLocked: second.kind === "openapi" }, credentials };
  }
  terminal.printError(`\nIt refused the credential in ${variable}. Renew it, then run: pinhole doctor`);
  return { found: first, credentials };
}

interface Wishes {
  readonly server?: string;
  readonly external?: string;
  readonly scopes?: string;
  /** Its place, if it is a file. */
  readonly path: string;
}

function entryOf(found: InspectedSource, { variables, login }: Credentials, options: Wishes): SourceEntry {
  const { kind, reference, isPrivate, documentLocked } = found;
  const scopes = listOf(options.scopes ?? "");
  const references = Object.entries(variables).map(([key, env]) => [key, { env }]);
  // A plugin declares what callers can reach, so `external` is written only to limit it.
  const patterns = options.external ?? (kind === "plugin" ? undefined : "*");
  const external = patterns === undefined ? undefined : listOf(patterns);
  return {
    [kind]: kind === "plugin" || (kind === "openapi" && !isAddress(reference)) ? options.path : reference,
    ...(kind === "openapi" && options.server !== undefined && { server: options.server }),
    ...Object.fromEntries(references),
    ...(login && { oauth: {} }),
    ...(documentLocked && variables.token !== undefined && { documentAuth: true }),
    ...(isPrivate && { allowPrivate: true }),
    ...(external && { external: external.length === 1 && external[0] === "*" ? "*" : external }),
    ...(scopes.length > 0 && { scopes }),
  };
}

/** Options that the kind of source has no use for are refused, not dropped. */
function refuseForeign(kind: InspectedSource["kind"], options: Invocation["options"]): void {
  if (options.server !== undefined && kind !== "openapi")
    throw new UsageError(`--server is for APIs, and this is a source of the kind ${kind}. Leave it out.`);
  if (options["token-env"] !== undefined && kind === "plugin")
    throw new UsageError("--token-env is for servers, APIs and peers, and this is a plugin. Leave it out.");
}

/** The configuration to add the source to; a source of the same name is removed only on request. */
async function textWithout(
  invocation: Invocation,
  { text, displayPath }: EditableConfig,
  name: string,
): Promise<string> {
  const without = withoutSource(text, name);
  if (without === undefined || invocation.switches.has("dry-run")) return text;
  const replaces = await askYesNo(invocation, {
    text: `${displayPath} has a source ${name} already. Replace it`,
    fallback: false,
    instead: `another name, or first: pinhole remove ${name}`,
  });
  if (replaces) return without;
  throw new UsageError(
    `${displayPath} has a source ${name} already, and stays as it is. Choose another name, or first: pinhole remove ${name}`,
  );
}

interface Added extends Pick<Invocation, "env"> {
  readonly found: InspectedSource;
  /** True if a running gateway may follow the configuration. */
  readonly isFollowed: boolean;
}

function nextStep(
  name: string,
  { variables, login }: Credentials,
  { env, found, isFollowed }: Added,
): string {
  const unset = Object.values(variables).filter((variable) => !env[variable]);
  const wanted = found.wants.join(", ");
  const hasNone = wanted !== "" && Object.keys(variables).length === 0 && !login;
  const start = isFollowed
    ? "A gateway that runs with this file takes it over by itself; otherwise start one: pinhole serve"
    : "Start the gateway: pinhole serve";
  return [
    ...(hasNone
      ? [`Operations that want a credential (${wanted}) will be refused until ${name} has one.`]
      : []),
    ...(login ? [`Sign in: pinhole login ${name}`] : []),
    unset.length === 0
      ? start
      : `Set ${unset.join(" and ")} in the environment of the gateway, and start it anew: pinhole serve\n` +
        `Until then ${name} is left out, and everything else runs.`,
  ].join("\n");
}

function listOf(text: string): readonly string[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "" && part !== "none");
}

function serverOf({ server }: Invocation["options"]): URL | undefined {
  if (server === undefined) return undefined;
  if (isAddress(server) && URL.canParse(server)) return new URL(server);
  throw new UsageError(
    `--server: ${JSON.stringify(server)} is not a URL. Write it as https://example.com/v1.`,
  );
}

function isAddress(reference: string): boolean {
  return /^https?:\/\//i.test(reference);
}

/** Paths are typed relative to the working directory, and written relative to the configuration. */
function pathFrom(folder: string, directory: string): (reference: string) => string {
  return (reference) => {
    const path = relative(folder, resolve(directory, reference)).replaceAll("\\", "/");
    return path.startsWith("../") || isAbsolute(path) ? path : `./${path}`;
  };
}

const SHOWN_NAMES = 20;
const SHOWN_WARNINGS = 10;
const KINDS = {
  mcp: "An MCP server",
  openapi: "An API with an OpenAPI document",
  peer: "Another node (a peer)",
  plugin: "A plugin",
  any: "A group of peers",
} as const;

/** Text about an inspected source, for people. */
function explainFound(found: InspectedSource): string {
  const { kind, title, operations, warnings, tokens, locked } = found;
  const head = title === undefined ? KINDS[kind] : `${KINDS[kind]}: ${title}`;
  if (kind === "peer" && operations.length === 0 && warnings.length > 0)
    return `${head}. What it offers is seen once both nodes run. ${warnings.join(" ")}`.trim();
  if (locked) return `${head}. It wants a credential before it says what it offers.`;
  const width = Math.max(...operations.map(({ name }) => name.length), 0);
  return [
    head,
    `${count(operations.length, "operation")}${countsOf(operations)}.`,
    `As tools of their own they would cost a model about ${number(tokens)} tokens; behind Pinhole they add none.`,
    "",
    ...operations.slice(0, SHOWN_NAMES).map(({ name, type }) => `  ${name.padEnd(width)}  ${type}`),
    ...more(operations.length - SHOWN_NAMES),
    ...(warnings.length === 0 ? [] : ["", `Warnings: ${warnings.length}`]),
    ...warnings.slice(0, SHOWN_WARNINGS).map((warning) => `  ${warning}`),
    ...more(warnings.length - SHOWN_WARNINGS),
  ].join("\n");
}

function countsOf(operations: InspectedSource["operations"]): string {
  const counts = (["query", "mutation", "subscription"] as const)
    .map((type) => [type, operations.filter((operation) => operation.type === type).length] as const)
    .filter(([, count]) => count > 0)
    .map(([type, count]) => `${type} ${count}`);
  return counts.length > 0 ? ` (${counts.join(", ")})` : "";
}

function more(count: number): readonly string[] {
  return count > 0 ? [`  … and ${count} more`] : [];
}
