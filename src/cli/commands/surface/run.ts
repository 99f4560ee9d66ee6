import { type ConfiguredSurface, loadCatalogue } from "../../../operator/index.ts";
import type { Invocation } from "../../command.ts";
import { count, number } from "../../figures.ts";
import { configOptionsOf } from "../../options.ts";
import { withProgress } from "../../terminal.ts";

/** Measures and prints the surface of a configuration. */
export async function runSurface(invocation: Invocation): Promise<void> {
  const { terminal, switches, env } = invocation;
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
    terminal.print(textOf(surface));
    if (absent.length > 0)
      terminal.printError(
        `Without ${absent.join(", ")}, which could not be reached: pinhole doctor says why.`,
      );
  } finally {
    await catalogue.close();
  }
}

function textOf(surface: ConfiguredSurface): string {
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
