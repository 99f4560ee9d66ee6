import type { ClientServer } from "./client-servers.ts";
import { shellWord } from "./shell-word.ts";

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

/** So that the same server gets the same port each time, and two get different ones, mostly. */
function hash(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return sum;
}
