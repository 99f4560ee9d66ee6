import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runProgram } from "../../src/cli/run-program.ts";
import { createTerminal } from "../../src/cli/terminal.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { browse } from "./browser.ts";
import { type IdentityGateway, startIdentityGateway } from "./identity-gateway.ts";
import type { ProtectedUpstream } from "./protected-upstream.ts";

/** The name of the source. */
export const SOURCE = "up";

/** How a source fares, as operators are told. */
export interface ListedSource {
  readonly name: string;
  readonly state: string;
  readonly operations: number;
  readonly code?: string;
  readonly reason?: string;
}

/** A gateway in front of a server that wants tokens. */
export interface OauthGateway extends IdentityGateway {
  source(): Promise<ListedSource>;
  /** Waits until the source is in a state. */
  until(state: string): Promise<ListedSource>;
  /** The login as it is kept. */
  login(): Promise<KeptLogin>;
}

/** What is kept of a login. */
export interface KeptLogin {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly client: { readonly clientId: string };
  readonly scopes: readonly string[];
}

/** Starts a gateway whose source `up` is the server. */
export async function startOauthGateway(
  t: TestContext,
  upstream: Pick<ProtectedUpstream, "url">,
  {
    oauth = {},
    files = {},
    more = {},
  }: { oauth?: object; files?: Record<string, string>; more?: object } = {},
): Promise<OauthGateway> {
  const source = { mcp: upstream.url.href, allowPrivate: true, external: "*", oauth };
  const gateway = await startIdentityGateway(t, { sources: { [SOURCE]: source }, ...more }, { files });

  async function current(): Promise<ListedSource> {
    const { output } = await gateway.call("sources/list");
    const { sources } = output as { readonly sources: readonly ListedSource[] };
    const found = sources.find(({ name }) => name === SOURCE);
    if (!found) throw new Error("There is no such source.");
    return found;
  }

  return {
    ...gateway,
    source: current,
    async until(state) {
      for (let looks = 0; looks < 400; looks++) {
        const found = await current();
        if (found.state === state) return found;
        await sleep(50);
      }
      throw new Error(`It is not ${state}: ${JSON.stringify(await current())}`);
    },
    async login() {
      const text = await readFile(join(gateway.directory, ".pinhole", "logins", `${SOURCE}.json`), "utf8");
      return JSON.parse(text).login;
    },
  };
}

/** How a command ended. */
export interface CommandResult {
  readonly code: number;
  /** Everything that it printed. */
  readonly said: string;
}

/** Runs `pinhole login` in a folder; the person at the browser does what is given with the address, or simply agrees. */
export async function runLogin(
  t: TestContext,
  directory: string,
  words: readonly string[] = [SOURCE],
  visit: (page: URL) => Promise<unknown> = agree,
): Promise<CommandResult> {
  const said: string[] = [];
  const visits: Promise<unknown>[] = [];
  const print = (text: string) => {
    said.push(text);
    if (/^https?:\S+$/.test(text)) visits.push(visit(new URL(text)));
  };
  const terminal = { ...createTerminal({}), print, printError: print, emphasise: (text: string) => text };
  const program = { name: "pinhole", summary: "", version: "1", commands: COMMANDS };
  const code = await runProgram(program, ["login", ...words], {
    terminal,
    directory,
    env: {},
    stop: t.signal,
  });
  await Promise.all(visits);
  return { code, said: said.join("\n") };
}

/** Signs in, agrees, and comes back. */
export async function agree(page: URL): Promise<Response> {
  return fetch(await browse(page));
}

/** Has the authorization server forget a refresh token, as when somebody signs a client out there. */
export async function revoke(
  { issuer }: AuthorizationServer,
  { refreshToken, client }: KeptLogin,
): Promise<void> {
  const response = await fetch(`${issuer}/token/revocation`, {
    method: "POST",
    body: new URLSearchParams({
      token: refreshToken,
      token_type_hint: "refresh_token",
      client_id: client.clientId,
    }),
  });
  if (!response.ok) throw new Error(`It was not revoked: ${response.status} ${await response.text()}`);
}
