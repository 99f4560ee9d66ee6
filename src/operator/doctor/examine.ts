import { loadConfig } from "../../adapters/index.ts";
import {
  type Config,
  ConfigError,
  type LoadConfigOptions,
  type LoadedConfig,
  packageVersion,
} from "../../config/index.ts";
import type { Registry } from "../../core/index.ts";
import { measureConfigured } from "../../gateway/facets/index.ts";
import { problemOfMcp } from "../../projections/to-mcp/index.ts";
import { catalogueOf } from "../index.ts";
import { type Finding, fine, note, wrong } from "./check.ts";
import { checkClock, checkServing } from "./machine.ts";
import { checkPatterns, checkScopes } from "./patterns.ts";
import { checkSecrets, type FoundReference } from "./secrets.ts";
import { checkSchemas, checkSources } from "./sources.ts";

/** Time for slow sources. */
const PATIENCE_MS = 20_000;

interface ExamineOptions extends LoadConfigOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Checks everything that a gateway needs; problems are findings, never thrown. */
export async function* examine(options: ExamineOptions): AsyncGenerator<Finding, void> {
  yield fine("version", `Pinhole ${packageVersion()} on Node ${process.versions.node}.`);
  const loaded = await loadConfig(options).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  if (loaded instanceof ConfigError) return yield* configProblems(loaded);
  const { config, file } = loaded;
  if (file === undefined)
    yield note(
      "config",
      "There is no pinhole.yaml here; a start would serve a few operations to try.",
      "Run: pinhole init",
    );
  else if (Object.keys(config.sources).length === 0)
    yield note(
      "config",
      `${file} can be read, and names no sources yet.`,
      "Add one: pinhole add NAME URL-OR-FILE",
    );
  else yield fine("config", `${file} can be read: ${sourcesOf(config)}.`);

  const { checks, missing } = checkSecrets(config, { ...loaded, env: options.env });
  yield* checks;
  yield* await checkServing(loaded);
  const absent = new Set(missing.map(sourceOf));
  yield* checkLoaded({ ...loaded, config: without(config, absent) }, absent, options);
}

/** Everything for which the sources have to be brought in; those that cannot even be tried are left out. */
async function* checkLoaded(
  loaded: LoadedConfig,
  absent: Set<string>,
  { env, signal }: ExamineOptions,
): AsyncGenerator<Finding, void> {
  const { config } = loaded;
  const catalogue = await catalogueOf(loaded, { patienceMs: PATIENCE_MS }).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  if (catalogue instanceof ConfigError)
    return yield wrong("start", catalogue.message, "Fix this first: with it the gateway does not start.");
  try {
    yield* await checkSources(catalogue);
    for (const { name, health } of catalogue.report()) if (health.state !== "healthy") absent.add(name);
    yield* checkSchemas(catalogue.registry);
    yield* checkPatterns(config, catalogue.registry, absent);
    yield* checkScopes(config);
    yield* await checkMcp();
    yield await checkSurface(loaded, catalogue.registry, env.PINHOLE_TOOLS);
    yield* await checkClock(config, signal);
  } finally {
    await catalogue.close();
  }
}

/** MCP is served by a package that need not be installed. */
async function checkMcp(): Promise<readonly Finding[]> {
  const problem = await problemOfMcp();
  if (problem === undefined) return [];
  return [note("mcp", problem, "Without it, HTTP and the call protocol are served, and /mcp answers this.")];
}

async function checkSurface(
  loaded: LoadedConfig,
  registry: Registry,
  tools: string | undefined,
): Promise<Finding> {
  const { mcp } = loaded.config;
  try {
    const { tools: count, tokens } = await measureConfigured(loaded, registry, tools);
    const text = `Agents see ${count} tools, which cost about ${tokens} tokens with the instructions.`;
    if (tokens <= mcp.budgetTokens) return fine("surface", text);
    const advice = "Expose fewer facets, or raise mcp.budgetTokens. See: pinhole surface";
    const over = `${text} That is over the budget of ${mcp.budgetTokens}.`;
    return mcp.overBudget === "refuse" ? wrong("surface", over, advice) : note("surface", over, advice);
  } catch (error) {
    if (error instanceof ConfigError)
      return wrong("surface", error.message, "Correct the name of the facet.");
    throw error;
  }
}

function* configProblems({ problems }: ConfigError): Generator<Finding, void> {
  for (const problem of problems) {
    const { file, line } = problem;
    const advice =
      line === undefined
        ? "Without a configuration that can be read, nothing else can be looked at."
        : `Correct ${file} there; pinhole config-schema has every key.`;
    yield wrong("config", new ConfigError([problem]).message, advice);
  }
}

function sourcesOf({ sources }: Config): string {
  const count = Object.keys(sources).length;
  return count === 1 ? "one source" : `${count} sources`;
}

/** The source of a reference; empty for one of the gateway itself. */
function sourceOf({ keys }: FoundReference): string {
  return keys[0] === "sources" ? (keys[1] ?? "") : "";
}

function without(config: Config, absent: ReadonlySet<string>): Config {
  const sources = Object.entries(config.sources).filter(([name]) => !absent.has(name));
  return { ...config, sources: Object.fromEntries(sources) };
}
