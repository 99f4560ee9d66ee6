import { type Config, ConfigError } from "../../config/index.ts";
import type { Registry } from "../../core/index.ts";
import { operatorOf } from "../../core/index.ts";
import { estimateTokens } from "../../formats/index.ts";
import type { GatewayLog } from "../../observe/index.ts";
import type { Pinned } from "../../projections/to-mcp/index.ts";
import { tokensOf } from "../surface/index.ts";
import type { Openings } from "./facets.ts";

/** What a config says about the list of tools at /mcp. */
export interface Budgeted {
  readonly openings: Openings;
  readonly mcp: Config["mcp"];
}

/** What the tools at /mcp are and cost, and what cannot be among them. */
interface Weighed extends Pick<Pinned, "leftOut"> {
  readonly tools: number;
  readonly tokens: number;
  /** Operations that are tools and for which the list has no room. */
  readonly unlisted: number;
}

/** Holds the list of tools at /mcp against what it may cost a model. */
export class ToolBudget {
  readonly #registry: Registry;
  readonly #log: GatewayLog;
  /** What the list was last held against. */
  #budgeted: Budgeted | undefined;
  /** What the operator was told about the list, and need not be told again while it is so. */
  #told: ReadonlySet<string> = new Set();
  #isLooking = false;

  constructor(registry: Registry, log: GatewayLog) {
    this.#registry = registry;
    this.#log = log;
  }

  /** Says what the tools cost, and complains or throws where that is over the budget. */
  async check(wanted: Budgeted): Promise<void> {
    const { openings, mcp } = wanted;
    const found = await this.#weigh(wanted);
    const { tools, tokens } = found;
    this.#log.info("Lists tools", { facets: openings.exposed, by: openings.tier, tools, tokens });
    if (tokens > mcp.budgetTokens && mcp.overBudget === "refuse") throw overBudget(found, mcp);
    this.#budgeted = wanted;
    this.#told = new Set();
    this.#tell(found, mcp);
  }

  /**
   * Throws where a config that refuses such a list would bring it over the budget. One that is over already has grown
   * by what servers offer, and that must not keep the operator from changing something else.
   */
  async checkChange(wanted: Budgeted & { readonly deny: readonly string[] }): Promise<void> {
    const { mcp, deny } = wanted;
    const before = this.#budgeted;
    if (mcp.overBudget !== "refuse" || !before) return;
    const found = await this.#weigh(wanted, deny);
    if (found.tokens <= mcp.budgetTokens) return;
    const { tokens } = await this.#weigh(before);
    if (tokens <= before.mcp.budgetTokens) throw overBudget(found, mcp);
  }

  /** What comes in later is looked at as what was there at the start, but by then it is only told. */
  async lookAgain(): Promise<void> {
    if (this.#isLooking || !this.#budgeted) return;
    this.#isLooking = true;
    const found = await this.#weigh(this.#budgeted).finally(() => {
      this.#isLooking = false;
    });
    this.#tell(found, this.#budgeted.mcp);
  }

  async #weigh({ openings: { main } }: Budgeted, deny?: readonly string[]): Promise<Weighed> {
    const { createPins, instructionsFor, listTools } = await import("../../projections/to-mcp/index.ts");
    // Not before: what changes while that is loaded must be seen.
    const now = this.#registry.snapshot();
    const snapshot = deny ? now.denying(deny) : now;
    const { surface, reach } = main;
    const pinned = createPins(surface);
    const caller = { identity: operatorOf(snapshot), internal: false, reach };
    const tools = listTools(snapshot, caller, { surface, pinned });
    const { leftOut, tools: wanted } = pinned(snapshot);
    const unlisted = wanted.size - tools.filter(({ name }) => wanted.has(name)).length;
    const tokens = tools.reduce((sum, tool) => sum + tokensOf(tool), 0);
    return {
      tools: tools.length,
      tokens: tokens + estimateTokens(instructionsFor(surface) ?? ""),
      leftOut,
      unlisted,
    };
  }

  #tell({ leftOut, ...found }: Weighed, mcp: Config["mcp"]): void {
    const told = new Set(leftOut.map(({ operation, reason }) => `${operation}: ${reason}`));
    for (const { operation, reason } of leftOut)
      if (!this.#told.has(`${operation}: ${reason}`))
        this.#log.warn("An operation cannot be listed as a tool", { operation, reason });
    if (found.unlisted > 0) {
      told.add("unlisted");
      if (!this.#told.has("unlisted"))
        this.#log.warn("The list of tools is as large as it may be; the rest can be called by call", {
          listed: found.tools,
          unlisted: found.unlisted,
        });
    }
    if (found.tokens > mcp.budgetTokens) {
      told.add("budget");
      if (!this.#told.has("budget")) this.#log.warn(overBudget(found, mcp).message);
    }
    this.#told = told;
  }
}

function overBudget(
  { tools, tokens }: Pick<Weighed, "tools" | "tokens">,
  { budgetTokens }: Config["mcp"],
): ConfigError {
  return new ConfigError(
    `The ${tools} listed tools and the instructions cost a model about ${tokens} tokens, more than the budget of ${budgetTokens}. Expose fewer facets, or raise mcp.budgetTokens.`,
  );
}
