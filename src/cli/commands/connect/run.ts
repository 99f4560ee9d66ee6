import { constants } from "node:fs";
import { access, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { acceptsAnonymous, keepCopy, overwriteFile } from "../../../config/index.ts";
import { loadConfig } from "../../../operator/configuration/index.ts";
import { type Invocation, UsageError } from "../../command.ts";
import { problemOfEnvName } from "../../env-name.ts";
import { InvalidJson, insertJson, parseJsonc } from "../../jsonc.ts";
import { CLIENTS, type Client, type ClientFacts, type Insertion } from "./clients.ts";

/** Prints or writes the settings of a client for the gateway. */
export async function runConnect(invocation: Invocation): Promise<void> {
  const { arguments: given, switches, terminal, directory } = invocation;
  const client = CLIENTS[given.client ?? ""];
  if (!client) throw new UsageError("Say which client: pinhole connect claude, cursor or vscode");
  const facts = await factsOf(invocation);
  const file = join(directory, client.file);
  const before = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  if (!switches.has("write")) return terminal.print(instructions(client, facts));
  const after = changed(client, facts, before);
  if (after === before) return terminal.print(`${client.file} is up to date; nothing was changed.`);
  if (before !== "") await access(file, constants.W_OK);
  const backup = before === "" ? undefined : await keepCopy(file);
  await mkdir(dirname(file), { recursive: true });
  await overwriteFile(file, after);
  terminal.print(
    `${before === "" ? "Wrote" : "Changed"} ${client.file}: ${client.title} finds Pinhole at ${facts.url} as ${facts.name}.` +
      `${backup === undefined ? "" : ` The file as it was is kept as ${backup}.`}\nStart the gateway if it does not run: pinhole serve`,
  );
  if (facts.tokenEnv !== undefined) terminal.print(client.tokenNote(facts.tokenEnv));
}

async function factsOf({ options, directory }: Invocation): Promise<ClientFacts> {
  const { name = "pinhole", url, "token-env": tokenEnv } = options;
  const problem = tokenEnv === undefined ? undefined : problemOfEnvName(tokenEnv);
  if (problem) throw new UsageError(`--token-env: ${problem}`);
  if (!/^[\w-]{1,64}$/.test(name))
    throw new UsageError("--name: letters, digits, _ and - only, which is what every client takes.");
  if (url !== undefined) {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url))
      throw new UsageError(`--url: ${JSON.stringify(url)} is not a URL. Write it as http://127.0.0.1:7464.`);
    const path = new URL(url).pathname;
    return { name, url: path === "/" ? new URL("/mcp", url).href : url, tokenEnv };
  }
  const { config } = await loadConfig({ file: options.config, directory });
  const { host, port, publicUrl, tls } = config.server;
  if (port === 0 && publicUrl === undefined)
    throw new UsageError(
      "The port in the configuration is 0: any free one. Say where the gateway is with --url.",
    );
  const local = `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (!acceptsAnonymous(config) && tokenEnv === undefined)
    throw new UsageError(
      "This gateway requires a token. Add --token-env NAME, the variable that contains it.",
    );
  return { name, url: `${(publicUrl ?? local).replace(/\/$/, "")}/mcp`, tokenEnv };
}

function instructions(client: Client, facts: ClientFacts): string {
  const command = client.command?.(facts);
  const json = changed(client, facts, "").trimEnd().replaceAll(/^/gm, "  ");
  const before = command === undefined ? "" : `${client.title}: run\n\n  ${command}\n\nor put `;
  const intro = before === "" ? `${client.title}: put ` : before;
  return `${intro}this into ${client.file} of your project (--write does it for you):\n\n${json}`;
}

function changed(client: Client, facts: ClientFacts, text: string): string {
  try {
    return client.insertions(facts).reduce(insertion, text);
  } catch (error) {
    if (error instanceof InvalidJson)
      throw new UsageError(`${client.file} cannot be changed: ${error.message}. Fix it first.`);
    throw error;
  }
}

function insertion(text: string, { keys, name, value }: Insertion): string {
  const { id } = value;
  if (name !== "" || text.trim() === "") return insertJson(text, keys, [name, value]);
  const known = (parseJsonc(text) as Readonly<Record<string, unknown>>)[keys[0] ?? ""];
  const isThere = Array.isArray(known) && known.some((item: { readonly id?: unknown }) => item?.id === id);
  return isThere ? text : insertJson(text, keys, [name, value]);
}
