import { isDeepStrictEqual } from "node:util";
import { shellWord } from "./text.ts";

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

const FIRST_PORT = 8_081;
const PORTS = 900;
const SECRET_FLAG = /key|token|secret|passw|auth|credential/i;
const LOOKS_RANDOM = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_=+-]{20,}$/;

/** Advice for a server that does not speak streamable HTTP. */
export function adviceFor(server: Exclude<ClientServer, { readonly kind: "http" }>): string {
  const { name } = server;
  switch (server.kind) {
    case "sse":
      return `${name} is left out: it speaks the old SSE transport. See whether it has an address for streamable HTTP (often /mcp), then: pinhole add ${name} URL`;
    case "repeated":
      return `${name} is there more than once, with different settings; the first one counts. To add another one too: pinhole add NAME URL`;
    case "unclear":
      return `${name} is left out: its settings have neither an address nor a command.`;
    case "program": {
      const port = FIRST_PORT + (hash(name) % PORTS);
      const line = [server.command, ...withoutSecrets(server.args)].map(shellWord).join(" ");
      const variables =
        server.env.length === 0
          ? []
          : [
              `  Give the bridge its variables, as the client's settings have them: ${server.env.join(", ")}.`,
            ];
      return [
        `${name} is a program that the client starts; Pinhole starts none. Put a bridge in front of it, then add that:`,
        `  npx mcp-proxy --host 127.0.0.1 --port ${port} -- ${line}`,
        `  pinhole add ${name} http://127.0.0.1:${port}/mcp`,
        ...variables,
      ].join("\n");
    }
  }
}

/** Replaces a possible secret by a placeholder for its owner to fill in. */
function withoutSecrets(args: readonly string[]): readonly string[] {
  return args.map((arg, index) => {
    const before = args[index - 1] ?? "";
    if (/^--?/.test(before) && SECRET_FLAG.test(before) && !before.includes("=") && !arg.startsWith("-"))
      return "…";
    const [flag, value] = arg.split(/=(.*)/s);
    if (value !== undefined && SECRET_FLAG.test(flag ?? "")) return `${flag}=…`;
    return LOOKS_RANDOM.test(arg) ? "…" : arg.replace(/(\w+:\/\/)[^/@\s]+@/g, "$1…@");
  });
}

/** The same server gets the same port each time, and two servers rarely share one. */
function hash(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return sum;
}
