import { type Config, ConfigError } from "../../config/index.ts";
import { operatorOf, type Registry } from "../../core/index.ts";
import type { GatewayLog } from "../../observe/index.ts";
import { measureTools } from "../surface/index.ts";
import type { Facets } from "./facets.ts";

/** The list of tools at /mcp as a config wants it, and its budget. */
export interface Budgeted {
  readonly facets: Facets;
  readonly mcp: Config["mcp"];
}

type Measured = Pick<Awaited<ReturnType<typeof measureTools>>, "listed" | "tokens" | "leftOut" | "unlisted">;

/** Compares the list of tools at /mcp with its budget. */
export class ToolBudget {
  readonly #registry: Registry;
  readonly #log: GatewayLog;
  /** The list that was checked last. */
  #budgeted: Budgeted | undefined;
  /** Warnings that the operator need not be given again while they hold. */
  #told: ReadonlySet<string> = new Set();
  #isLooking = false;

  constructor(registry: Registry, log: GatewayLog) {
    this.#registry = registry;
    this.#log = log;
  }

  /** Logs the cost of the tools; warns or throws where it is over the budget. */
  async check(wanted: Budgeted): Promise<void> {
    const { facets, mcp } = wanted;
    const found = await this.#measure(wanted);
    const { listed, tokens } = found;
    this.#log.info("Lists tools", {
      facets: facets.exposed,
      by: facets.tier,
      tools: listed.length,
      tokens,
    });
    if (tokens > mcp.budgetTokens && mcp.overBudget === "refuse") throw overBudget(found, mcp);
    this.#budgeted = wanted;
    this.#told = new Set();
    this.#tell(found, mcp);
  }

  /**
   * Throws where a config that refuses such a list would bring it over the budget. A list that is over already has grown
   * by what servers offer, which must not keep the operator from changing something else.
   */
  async checkChange(wanted: Budgeted & { readonly deny: readonly string[] }): Promise<void> {
    const { mcp, deny } = wanted;
    const before = this.#budgeted;
    if (mcp.overBudget !== "refuse" || !before) return;
    const found = await this.#measure(wanted, deny);
    if (found.tokens <= mcp.budgetTokens) return;
    const { tokens } = await this.#measure(before);
    if (tokens <= before.mcp.budgetTokens) throw overBudget(found, mcp);
  }

  /** Checks again after a change of the registry: by then it only warns. */
  async lookAgain(): Promise<void> {
    if (this.#isLooking || !this.#budgeted) return;
    this.#isLooking = true;
    const found = await this.#measure(this.#budgeted).finally(() => {
      this.#isLooking = false;
    });
    this.#tell(found, this.#budgeted.mcp);
  }

  #measure({ facets: { main } }: Budgeted, denying?: readonly string[]): ReturnType<typeof measureTools> {
    return measureTools(this.#registry, main, { identityIn: operatorOf, denying });
  }

  #tell({ leftOut, ...found }: Measured, mcp: Config["mcp"]): void {
    const told = new Set(leftOut.map(({ operation, reason }) => `${operation}: ${reason}`));
    for (const { operation, reason } of leftOut)
      if (!this.#told.has(`${operation}: ${reason}`))
        this.#log.warn("An operation cannot be listed as a tool", { operation, reason });
    if (found.unlisted > 0) {
      told.add("unlisted");
      if (!this.#told.has("unlisted"))
        this.#log.warn("The list of tools is as large as it may be; the rest can be called by call", {
          listed: found.listed.length,
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
  { listed, tokens }: Pick<Measured, "listed" | "tokens">,
  { budgetTokens }: Config["mcp"],
): ConfigError {
  return new ConfigError(
    `The ${listed.length} listed tools and the instructions cost a model about ${tokens} tokens, more than the budget of ${budgetTokens}. Expose fewer facets, or raise mcp.budgetTokens.`,
  );
}
