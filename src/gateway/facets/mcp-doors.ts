import { packageVersion } from "../../config/index.ts";
import type { Registry, SchemaValidator } from "../../core/index.ts";
import type { GatewayLog } from "../../observe/index.ts";
import type { Listeners } from "../../projections/to-mcp/index.ts";
import type { McpDoor, McpServing } from "../server/index.ts";
import { RECHECK_MS } from "../server/index.ts";
import type { Opening } from "./facets.ts";
import { type Budgeted, ToolBudget } from "./tool-budget.ts";

/** The key of the address that has no facet in it. */
const MAIN = "";

/** What a config says about them, and what they are made of. */
export interface McpDoorsOptions extends Budgeted {
  readonly validator: SchemaValidator;
  readonly stateKey: Uint8Array;
}

type Open = McpDoor & Pick<Opening, "surface">;

/** The MCP addresses over the life of a gateway: clients that listen at one hear of what later configs change, as long as it is there. */
export class McpDoors {
  /** What the list of tools at /mcp may cost. */
  readonly budget: ToolBudget;
  readonly #registry: Registry;
  readonly #log: GatewayLog;
  /** By address. Whatever else served an earlier config goes with the last request that it answers. */
  readonly #listeners = new Map<string, Listeners>();
  #open: ReadonlyMap<string, Open> = new Map();
  readonly #rechecks: NodeJS.Timeout;
  #willLook = false;

  constructor(registry: Registry, log: GatewayLog) {
    this.#registry = registry;
    this.#log = log;
    this.budget = new ToolBudget(registry, log);
    this.#rechecks = setInterval(() => void this.recheck(), RECHECK_MS).unref();
    registry.onChange(({ sources }) => {
      this.#lookSoon();
      const { surface } = this.#open.get(MAIN) ?? {};
      if (!surface?.pins) return;
      const names = sources.flatMap(({ added, removed, changed }) => [...added, ...removed, ...changed]);
      if (names.some(surface.pins)) void this.budget.lookAgain();
    });
  }

  /** Opens the addresses that a config wants. Those who listen are told by `recheck`, once the config is in force. */
  async follow(options: McpDoorsOptions): Promise<McpServing> {
    const openings = [[MAIN, options.openings.main] as const, ...options.openings.facets];
    const opened = await Promise.all(
      openings.map(async ([name, opening]) => [name, await this.#start(name, opening, options)] as const),
    );
    this.#open = new Map(opened);
    for (const [name, listeners] of this.#listeners) {
      if (this.#open.has(name)) continue;
      listeners.end();
      this.#listeners.delete(name);
    }
    const facets = new Map(this.#open);
    facets.delete(MAIN);
    return { main: this.#open.get(MAIN) as McpDoor, facets };
  }

  /** Lets go of those who listen by a token that is not known any more, and tells the others whose list has changed. */
  recheck(): Promise<void> {
    return this.#look(true);
  }

  /** Once for all changes of one turn. */
  #lookSoon(): void {
    if (this.#willLook) return;
    this.#willLook = true;
    setImmediate(() => {
      this.#willLook = false;
      void this.#look(false);
    });
  }

  async #look(recheck: boolean): Promise<void> {
    const looks = [...this.#listeners].map(async ([name, listeners]) => {
      const open = this.#open.get(name);
      if (open) await listeners.look(open.endpoint.listed, { reach: open.reach, recheck });
    });
    await Promise.all(looks);
  }

  /** Lets go of clients that only listen, so that nobody waits for them. */
  endListening(): void {
    clearInterval(this.#rechecks);
    for (const listeners of this.#listeners.values()) listeners.end();
  }

  async #start(name: string, { surface, reach }: Opening, options: McpDoorsOptions): Promise<Open> {
    const { Listeners, createMcpProjection } = await import("../../projections/to-mcp/index.ts");
    const listeners = this.#listeners.get(name) ?? new Listeners();
    this.#listeners.set(name, listeners);
    const endpoint = createMcpProjection({
      ...options.mcp,
      registry: this.#registry,
      validator: options.validator,
      stateKey: options.stateKey,
      version: packageVersion(),
      log: this.#log,
      surface,
      listeners,
    });
    return { endpoint, reach, surface };
  }
}
