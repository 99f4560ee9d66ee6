import { spawn } from "node:child_process";
import type { LoadedConfig } from "../../../config/index.ts";
import { needing } from "../../../core/index.ts";
import { loadConfig } from "../../../operator/configuration/index.ts";
import type { LoginState } from "../../../operator/login/index.ts";
import { CommandFailed, type Invocation, UsageError } from "../../command.ts";

const USUAL_WAIT_S = 300;

/** Logs in to a source, or shows or forgets logins. */
export async function runLogin(invocation: Invocation): Promise<void> {
  const { arguments: given, options, switches, terminal, directory } = invocation;
  const { source } = given;
  const loaded = await loadConfig({ file: options.config, directory });
  const { listLogins, logInTo } = await loadLogins();
  if (switches.has("list")) return terminal.print(listOf(await listLogins(loaded)));
  if (source === undefined) throw new UsageError("Say which source: pinhole login github");
  if (switches.has("forget")) return forget(loaded, source, invocation);
  const state = await logInTo({
    loaded,
    source,
    env: invocation.env,
    scopes: options.scopes?.split(/[\s,]+/).filter((scope) => scope !== ""),
    signal: AbortSignal.any([invocation.stop, AbortSignal.timeout(waitOf(options.wait) * 1_000)]),
    show: (address) => show(address, invocation),
  });
  terminal.print(`Logged in to ${source}${state.issuer ? ` at ${state.issuer}` : ""}. ${lifeOf(state)}`);
}

function show(address: URL, { terminal, switches }: Invocation): void {
  terminal.print("Open this address in a browser on this machine and sign in:\n");
  terminal.print(terminal.emphasise(address.href));
  terminal.print(`\nIt leads to ${address.host}. Waiting…`);
  if (switches.has("open")) openInBrowser(address, terminal);
}

/** Only because somebody asked for it: this program starts no others by itself. */
function openInBrowser(address: URL, terminal: Invocation["terminal"]): void {
  const [program, ...words] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : ["xdg-open"];
  // The address came from a server: nothing but a web page is opened.
  if (program === undefined || !/^https?:$/.test(address.protocol)) return;
  const child = spawn(program, [...words, address.href], { stdio: "ignore", detached: true });
  child.on("error", () => terminal.printError("No browser could be opened; open the address by hand."));
  child.unref();
}

async function forget(loaded: LoadedConfig, source: string, { terminal }: Invocation): Promise<void> {
  const { forgetLogin } = await loadLogins();
  if (!(await forgetLogin(loaded, source))) throw new CommandFailed(1, `There is no login of ${source}.`);
  terminal.print(
    `Forgot the login of ${source}. Its server may still show this gateway among the signed-in apps.`,
  );
}

function waitOf(text: string | undefined): number {
  if (text === undefined) return USUAL_WAIT_S;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 86_400) return seconds;
  throw new UsageError("--wait takes a number of seconds, such as --wait 600.");
}

function listOf(states: readonly LoginState[]): string {
  if (states.length === 0) return "There are no logins. Make one with: pinhole login SOURCE";
  return states
    .map((state) => {
      const { source, issuer, scopes, problem } = state;
      const where = issuer === undefined ? "" : ` at ${issuer}`;
      const what = scopes.length === 0 ? "" : ` Scopes: ${scopes.join(" ")}.`;
      return `${source}${where}. ${problem === undefined ? `${lifeOf(state)}${what}` : `${problem}.`}`;
    })
    .join("\n");
}

function lifeOf({ expiresAt, isRenewable }: LoginState): string {
  if (isRenewable) return "It is renewed by itself.";
  if (expiresAt === undefined) return "It has no end that the server told.";
  return `It ends at ${new Date(expiresAt).toISOString()} and cannot be renewed.`;
}

function loadLogins() {
  const load = () => import("../../../operator/login/index.ts");
  return needing("@modelcontextprotocol/client", "pinhole login", load);
}
