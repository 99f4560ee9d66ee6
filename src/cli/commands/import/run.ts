import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import {
  type LoadedConfig,
  readEditable,
  type SourceEntry,
  withoutSource,
  withSource,
} from "../../../config/index.ts";
import { RESERVED_NAMESPACES } from "../../../core/index.ts";
import { loadConfig, writeConfig } from "../../../operator/configuration/index.ts";
import { isOwnAddress, isPrivateHost } from "../../../operator/inspect/index.ts";
import { adviceFor, type ClientServer, clientServersIn } from "../../client-servers.ts";
import { type Invocation, UsageError } from "../../command.ts";
import { envNameFor } from "../../env-name.ts";
import { InvalidJson, parseJsonc } from "../../jsonc.ts";
import { withProgress } from "../../terminal.ts";

interface Taken {
  readonly name: string;
  readonly entry: SourceEntry;
  /** The variable for its token; `hadSecret` if the settings had the token itself. */
  readonly variable?: { readonly name: string; readonly hadSecret: boolean };
}

/** Adds the HTTP servers of a client to the configuration, and gives advice for the others. */
export async function runImport(invocation: Invocation): Promise<void> {
  const { arguments: given, options, switches, terminal, directory } = invocation;
  if (given.file === undefined) throw new UsageError("Say which settings: pinhole import ~/.cursor/mcp.json");
  const servers = clientServersIn(await readSettings(resolve(directory, withHome(given.file))));
  if (servers.length === 0)
    throw new UsageError(`${given.file} names no servers: there is neither mcpServers nor servers in it.`);

  const editable = await readEditable(options.config, directory);
  const { config } = await loadConfig({ directory, ...(editable.exists && { file: options.config }) });
  const taken: Taken[] = [];
  const notes: string[] = [];
  let text = editable.text;
  for (const server of servers) {
    const outcome = await withProgress(terminal, `Looking at ${server.name}`, () =>
      decide(server, { text, config }),
    );
    if (typeof outcome === "string") notes.push(outcome);
    else {
      taken.push(outcome);
      text = withSource(text, outcome.name, outcome.entry);
    }
  }
  if (taken.length > 0) {
    const isDry = switches.has("dry-run");
    if (!isDry) await writeConfig(editable, text);
    const lines = taken.reduce((all, { name, entry }) => withSource(all, name, entry), "");
    const title = isDry ? "These lines would go into" : editable.exists ? "Written into" : "Made";
    terminal.print(`${title} ${editable.displayPath}:\n\n${lines.trimEnd().replaceAll(/^/gm, "  ")}`);
  } else terminal.print("Nothing to take over.");
  const variables = taken.flatMap(({ variable }) => (variable ? [variable] : []));
  if (variables.length > 0) terminal.print(`\n${variablesText(variables, given.file)}`);
  for (const note of notes) terminal.print(`\n${note}`);
  if (taken.length > 0) terminal.print(`\n${nextText(taken, given.file)}`);
}

/** Decides about a server: a source, or the reason to leave it out. */
async function decide(
  server: ClientServer,
  { text, config }: { readonly text: string } & Pick<LoadedConfig, "config">,
): Promise<Taken | string> {
  const { name } = server;
  if (server.kind !== "http") return adviceFor(server);
  if (isOwnAddress(server.url, config)) return `${name} is left out: it is this gateway itself.`;
  if (withoutSource(text, name) !== undefined)
    return `${name} is left out: the configuration has a source of this name already.`;
  if (RESERVED_NAMESPACES.has(name))
    return `${name} is left out: the gateway's own operations have this name. Add it under another one: pinhole add NAME URL`;
  const over = takeOver(server);
  if ("problem" in over) return `${name} is left out: ${over.problem}`;
  const { url, variable, header } = over;
  return {
    name,
    entry: {
      mcp: url.href,
      ...(variable && { token: { env: variable.name } }),
      ...(header !== undefined && { tokenHeader: header }),
      ...((await isPrivateHost(url.hostname)) && { allowPrivate: true }),
      external: "*",
    },
    ...(variable && { variable }),
  };
}

function nextText(taken: readonly Taken[], file: string): string {
  const those = taken.length === 1 ? "this server" : "these servers";
  return [
    "Next: pinhole doctor shows whether each of them answers.",
    `Once the agent is connected to Pinhole (pinhole connect), remove ${those} from ${file}: otherwise it has every tool twice.`,
  ].join("\n");
}

function variablesText(variables: readonly NonNullable<Taken["variable"]>[], file: string): string {
  const lines = variables.map(
    ({ name, hadSecret }) => `  ${name}${hadSecret ? `  (its value is in ${file}; it was not copied)` : ""}`,
  );
  return `Set these environment variables before the gateway starts; a source without its own is left out:\n${lines.join("\n")}`;
}

async function readSettings(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "There is no such file" : `It cannot be read (${error.code})`;
    throw new UsageError(`${file}: ${reason}.`);
  });
  try {
    return parseJsonc(text);
  } catch (error) {
    if (error instanceof InvalidJson) throw new UsageError(`${file} is not valid JSON: ${error.message}.`);
    throw error;
  }
}

/** Shells put the home folder in by themselves, but not within quotes. */
function withHome(path: string): string {
  return path.replace(/^~(?=[/\\])/, homedir());
}

/** Headers that a client sends by itself. */
const HARMLESS = new Set(["accept", "content-type", "user-agent"]);
const SECRET_NAME = /key|token|secret|passw|auth|sig|credential/i;

/** A server as a source, or the reason why it cannot be one. */
type TakenOver =
  | {
      readonly url: URL;
      /** The header of a credential that is not a bearer token. */
      readonly header?: string;
      readonly variable?: { readonly name: string; readonly hadSecret: boolean };
    }
  | { readonly problem: string };

/** Turns the address and headers of a client's server into those of a source, and every secret into a reference. */
function takeOver({ name, url: written, headers }: ClientServer & { readonly kind: "http" }): TakenOver {
  if (!URL.canParse(written) || !/^https?:/i.test(written))
    return { problem: "its address cannot be read without the client." };
  const url = new URL(written);
  const hidden = [...url.searchParams.keys()].find((key) => SECRET_NAME.test(key));
  if (url.username !== "" || url.password !== "" || hidden !== undefined || written.includes("${")) {
    return {
      problem:
        "its address contains a secret or a value that only the client fills in, and secrets never go into the configuration. " +
        `See whether it takes a bearer token instead, then: pinhole add ${name} ${url.origin}${url.pathname}`,
    };
  }
  const wanted = Object.entries(headers).filter(([key]) => !HARMLESS.has(key.toLowerCase()));
  const [first, ...others] = wanted;
  if (first === undefined) return { url };
  if (others.length > 0) {
    const names = wanted.map(([key]) => key).join(", ");
    return {
      problem: `it wants the headers ${names}, and a source has one credential. See whether one will do.`,
    };
  }
  const [header, value] = first;
  if (!/^[\w.-]+$/.test(header)) return { problem: `${JSON.stringify(header)} is not the name of a header.` };
  const token = /^authorization$/i.test(header) ? /^Bearer\s+(.+)$/is.exec(value.trim())?.[1] : undefined;
  if (token !== undefined) return { url, variable: variableOf(token, name) };
  return { url, header, variable: variableOf(value.trim(), name) };
}

/** The variable that the client takes the token from, or the one that will have to hold it. */
function variableOf(token: string, name: string): { readonly name: string; readonly hadSecret: boolean } {
  const reference = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}$/.exec(token);
  if (reference?.[1] !== undefined) return { name: reference[1], hadSecret: false };
  return { name: envNameFor(name, "token"), hadSecret: !token.startsWith("${") };
}
