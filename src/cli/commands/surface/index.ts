import type { ConfiguredSurface } from "../../../operator/index.ts";
import type { Command, Invocation } from "../../command.ts";
import { CONFIG_OPTION, configFlagOptions, configOptionsOf } from "../../options.ts";
import { withProgress } from "../../terminal.ts";
import { count, number } from "../../text.ts";

/** `pinhole surface`: shows the tools that an agent sees, and their cost. */
export const surface: Command = {
  name: "surface",
  summary: "Shows the tools that an agent sees, and their cost.",
  description:
    "Imports the sources of pinhole.yaml and lists the tools that an MCP client gets, each with an estimate of its tokens in a " +
    "model's context, compared to the cost of every operation as its own tool.",
  examples: [
    { line: "pinhole surface", meaning: "Shows the tools of pinhole.yaml here." },
    { line: "pinhole surface --facet reviews", meaning: "Shows those of one facet served alone." },
    { line: "pinhole surface --json", meaning: "Answers as JSON, for scripts." },
  ],
  options: { json: { description: "Prints JSON." }, config: CONFIG_OPTION },
  lateOptions: configFlagOptions,
  run: runSurface,
};

async function runSurface(invocation: Invocation): Promise<void> {
  const { terminal, switches, env } = invocation;
  const { loadCatalogue } = await import("../../../operator/index.ts");
  const options = await configOptionsOf(invocation);
  const catalogue = await withProgress(terminal, "Bringing in the sources", () => loadCatalogue(options));
  try {
    const surface = await catalogue.surface(env.PINHOLE_TOOLS);
    const absent = catalogue
      .report()
      .flatMap(({ name, health }) => (health.state === "healthy" ? [] : [name]));
    if (switches.has("json")) {
      terminal.print(JSON.stringify({ ...surface, absent }, null, 2));
      return;
    }
    terminal.print(tableOf(surface));
    if (absent.length > 0)
      terminal.printError(
        `Without ${absent.join(", ")}, which could not be reached: pinhole doctor says why.`,
      );
  } finally {
    await catalogue.close();
  }
}

function tableOf(surface: ConfiguredSurface): string {
  const { exposed, by, listed, tokens, instructionTokens, operations, namespaces, directTokens } = surface;
  const parts = [
    ...listed,
    ...(instructionTokens > 0 ? [{ name: "instructions", tokens: instructionTokens }] : []),
  ];
  const rows = [...parts, { name: "total", tokens }].map((row) => [row.name, number(row.tokens)] as const);
  const names = Math.max(...rows.map(([name]) => name.length));
  const figures = Math.max(...rows.map(([, tokens]) => tokens.length));
  const lines = rows.map(([name, tokens]) => `  ${name.padEnd(names)}  ${tokens.padStart(figures)}`);
  const share = `, ${ratioOf(directTokens, tokens)}`;
  return [
    `What an agent sees, in tokens (about). Exposed: ${exposed.join(", ")} (by ${by})`,
    "",
    ...lines.slice(0, -1),
    `  ${"-".repeat(names + figures + 2)}`,
    lines.at(-1),
    ...facetsOf(surface),
    "",
    `Behind it: ${count(operations, "operation")} in ${count(namespaces, "namespace")}, without those of Pinhole itself.`,
    ...(operations > 0 ? [`Each as a tool of its own: about ${number(directTokens)} tokens${share}.`] : []),
  ].join("\n");
}

function facetsOf({ exposed, fromFacets: { tools, tokens } }: ConfiguredSurface): readonly string[] {
  if (tools === 0) return [];
  const names = exposed.filter((name) => name !== "core");
  return [
    "",
    `${count(tools, "tool")} from facets (${names.join(", ")}): ${number(tokens)} of these tokens.`,
  ];
}

function ratioOf(direct: number, surface: number): string {
  const ratio = direct / surface;
  return ratio >= 1
    ? `${ratio.toFixed(1)} times as much`
    : "less than these tools cost: they pay once there are more operations";
}
