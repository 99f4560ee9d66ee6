import type { ConfiguredSurface, ServedGateway } from "../../../operator/index.ts";
import type { Terminal } from "../../command.ts";
import { count, number, wrap } from "../../text.ts";

interface BannerFacts
  extends Pick<ServedGateway, "version" | "url" | "file" | "surface" | "needsToken" | "sources"> {
  /** The shell command that runs this program if it is not installed as `pinhole`. */
  readonly program?: string | undefined;
}

/** The text at the start of the gateway: its address, its cost in tokens, and how to connect. */
export function bannerOf(
  facts: BannerFacts,
  { columns, emphasise }: Pick<Terminal, "columns" | "emphasise">,
): string {
  const { version, url, file, sources } = facts;
  const say = (text: string) => wrap(text, columns);
  return [
    `Pinhole ${version} listens on ${emphasise(`${url}/mcp`)}`,
    "",
    say(costText(facts.surface)),
    say(`Facets listed: ${facts.surface.exposed.join(", ")} (by ${facts.surface.by}).`),
    "",
    ...toConnect(facts),
    "",
    ...(file === undefined
      ? toTry(facts, say)
      : [say(`Follows ${file}. Changes take effect when it is saved.`)]),
    ...(file !== undefined && sources === 0
      ? ["It names no sources yet: pinhole add NAME URL-OR-FILE adds one."]
      : []),
    "Ctrl-C finishes running calls and stops.",
  ].join("\n");
}

function costText(surface: ConfiguredSurface): string {
  const { tools, tokens, fromFacets, operations, namespaces, directTokens } = surface;
  const facets = surface.exposed.filter((name) => name !== "core");
  const share =
    facets.length === 0
      ? "however many operations there are"
      : `${number(fromFacets.tokens)} of them for ${count(fromFacets.tools, "tool")} from facets (${facets.join(", ")})`;
  const direct =
    operations === 0 ? "" : ` As tools of their own the operations would cost about ${number(directTokens)}.`;
  return (
    `${count(operations, "operation")} in ${count(namespaces, "namespace")} behind ${count(tools, "tool")}. ` +
    `Tools and instructions cost a model about ${number(tokens)} tokens, ${share}.${direct}`
  );
}

function toConnect({ url, needsToken }: BannerFacts): readonly string[] {
  const mcpUrl = `${url}/mcp`;
  const quoted = JSON.stringify(mcpUrl);
  if (needsToken) {
    return [
      "Paste one of these to connect, with your token in the variable PINHOLE_TOKEN:",
      `  Claude Code  claude mcp add --transport http pinhole ${mcpUrl} --header "Authorization: Bearer $PINHOLE_TOKEN"`,
      `  Cursor       pinhole connect cursor --write --url ${mcpUrl} --token-env PINHOLE_TOKEN`,
      `  VS Code      pinhole connect vscode --write --url ${mcpUrl} --token-env PINHOLE_TOKEN`,
    ];
  }
  return [
    "Paste one of these to connect:",
    `  Claude Code  claude mcp add --transport http pinhole ${mcpUrl}`,
    `  VS Code      code --add-mcp '{"name":"pinhole","type":"http","url":${quoted}}'`,
    `  Cursor       into ~/.cursor/mcp.json: {"mcpServers":{"pinhole":{"url":${quoted}}}}`,
  ];
}

/** Lines that can be pasted into another terminal as they are. */
function toTry({ url, program }: BannerFacts, say: (text: string) => string): readonly string[] {
  const post = (path: string, body: object) =>
    `  curl -sN ${url}${path} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    say(
      "There is no pinhole.yaml here, so these are operations to try: a clock, texts, and a bookshop that is imported " +
        "from an OpenAPI document. Ask your agent for the time in Tokyo, or paste into another terminal:",
    ),
    `  curl -s '${url}/search?query=find+a+book&limit=2'`,
    post("/call", { operation: "shop/findBooks", input: { query: "sea" } }),
    post("/call", { operation: "shop/orderBook", input: { body: { isbn: "9780141439471", copies: 2 } } }),
    post("/subscribe", { operation: "shop/trackOrder", input: { id: "1" } }),
    "",
    "Your own tools, from another terminal:",
    ...(program === undefined ? [] : [`  alias pinhole="${program}"`]),
    "  pinhole init",
    "  pinhole add NAME URL-OR-FILE",
    "",
  ];
}
