import { isDeepStrictEqual } from "node:util";

/** One server in the settings of an MCP client. */
export type ClientServer = { readonly name: string } & (
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "sse"; readonly url: string }
  | {
      readonly kind: "program";
      readonly command: string;
      readonly args: readonly string[];
      /** Names of its environment variables; the values are not read. */
      readonly env: readonly string[];
    }
  | { readonly kind: "unclear" }
  /** Another one of a name that was there already. */
  | { readonly kind: "repeated" }
);

type Settings = Readonly<Record<string, unknown>>;

/** Every server that the settings of a client name; the first of a name counts, and another one is told after all others. */
export function clientServersIn(settings: unknown): readonly ClientServer[] {
  const root = recordOf(settings);
  const places = [
    root.mcpServers,
    root.servers,
    recordOf(root.mcp).servers,
    // Claude Code keeps the servers of each project next to those of the user.
    ...Object.values(recordOf(root.projects)).map((project) => recordOf(project).mcpServers),
  ];
  const found = new Map<string, ClientServer>();
  const repeated = new Map<string, ClientServer>();
  for (const place of places) {
    for (const [written, server] of Object.entries(recordOf(place))) {
      const name = sourceNameOf(written);
      const read = serverOf(name, recordOf(server));
      const first = found.get(name);
      if (!first) found.set(name, read);
      else if (!isDeepStrictEqual(first, read)) repeated.set(name, { name, kind: "repeated" });
    }
  }
  return [...found.values(), ...repeated.values()];
}

function serverOf(name: string, server: Settings): ClientServer {
  const url = [server.url, server.serverUrl, server.httpUrl].find((each) => typeof each === "string");
  if (url !== undefined) {
    if (server.type === "sse" || server.transport === "sse") return { name, kind: "sse", url };
    return { name, kind: "http", url, headers: textsIn(server.headers) };
  }
  if (typeof server.command !== "string") return { name, kind: "unclear" };
  const args = Array.isArray(server.args) ? server.args.map(String) : [];
  return (
    bridged(name, args) ?? {
      name,
      kind: "program",
      command: server.command,
      args,
      env: Object.keys(recordOf(server.env)),
    }
  );
}

/** Some programs only lead to a server that speaks HTTP; it can be asked directly. */
function bridged(name: string, args: readonly string[]): ClientServer | undefined {
  const at = args.findIndex((arg) => /^mcp-remote(?:@|$)/.test(arg));
  const url = at < 0 ? undefined : args.slice(at + 1).find((arg) => /^https?:\/\//.test(arg));
  if (url === undefined) return undefined;
  const headers = args.flatMap((arg, index) => (args[index - 1] === "--header" ? [arg.split(/:\s*/)] : []));
  return {
    name,
    kind: "http",
    url,
    headers: Object.fromEntries(headers.map(([key = "", ...value]) => [key, value.join(":")])),
  };
}

function sourceNameOf(written: string): string {
  const name = written.replaceAll(/[^A-Za-z0-9_.-]+/g, "-").replaceAll(/^[.-]+|[.-]+$/g, "");
  return (name === "" ? "server" : name).slice(0, 100);
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(recordOf(value)).map(([key, text]) => [key, String(text)]));
}

function recordOf(value: unknown): Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Settings) : {};
}
