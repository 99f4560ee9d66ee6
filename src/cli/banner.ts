import type { Surface } from "../gateway/index.ts";

/** What a banner tells about. */
export interface BannerFacts {
  readonly version: string;
  readonly mcpUrl: string;
  readonly file: string | undefined;
  readonly surface: Surface;
}

/** What a newcomer sees when the gateway is up: where it listens, what it saves, what to paste where. */
export function bannerOf(
  { version, mcpUrl, file, surface }: BannerFacts,
  emphasise: (text: string) => string,
): string {
  const { tools, toolTokens, operations, namespaces, directTokens } = surface;
  const url = JSON.stringify(mcpUrl);
  return [
    `Pinhole ${version} listens on ${emphasise(mcpUrl)}`,
    "",
    `  ${count(operations, "operation")} in ${count(namespaces, "namespace")} behind ${tools} tools.`,
    `  The ${tools} tools cost a model about ${number(toolTokens)} tokens; every operation as a tool of its own,`,
    `  about ${number(directTokens)}. The first number stays, however many operations there are.`,
    "",
    "Paste one of these to connect:",
    `  Claude Code  claude mcp add --transport http pinhole ${mcpUrl}`,
    `  VS Code      code --add-mcp '{"name":"pinhole","type":"http","url":${url}}'`,
    `  Cursor       into ~/.cursor/mcp.json: {"mcpServers":{"pinhole":{"url":${url}}}}`,
    "",
    file === undefined
      ? "There is no pinhole.yaml here, so these are a few operations to try. Ask your agent: what time is it in Tokyo?"
      : `Follows ${file}. Changes take effect when it is saved.`,
    "Ctrl-C finishes running calls and stops.",
  ].join("\n");
}

function count(howMany: number, what: string): string {
  return `${number(howMany)} ${what}${howMany === 1 ? "" : "s"}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}
