import type { Registry, SchemaValidator } from "../../core/index.ts";
import type { Listeners } from "../../projections/to-mcp/index.ts";
import type { McpDoor, McpServing } from "../http/app.ts";
import type { GatewayLog } from "../log.ts";
import { packageVersion } from "../version.ts";
import type { Opening } from "./facets.ts";
import { type Budgeted, ToolBudget } from "./tool-budget.ts";

/** The key of the address that has no facet in it. */
const MAIN = "";

/** What a config says about them, and what they are made of. */
export interface McpDoorsOptions extends Budgeted {
  readonly validator: SchemaValidator;
  readonly stateKey: Uint8Array;
}

interface Open extends McpDoor, Pick<Opening, "surface"> {
  /** Tells one list of tools from another, for all callers together. */
  readonly listed: string;
}

/** The MCP addresses over the life of a gateway: clients that listen at one hear of what later configs change, as long as it is there. */
export class McpDoors {
  /** What the list of tools at /mcp may cost. */
  readonly budget: ToolBudget;
  readonly #registry: Registry;
  readonly #log: GatewayLog;
  /** By address. Whatever else served an earlier config goes with the last request that it answers. */
  readonly #listeners = new Map<string, Listeners>();
  #open: ReadonlyMap<string, Open> = new Map();

  constructor(registry: Registry, log: GatewayLog) {
    this.#registry = registry;
    this.#log = log;
    this.budget = new ToolBudget(registry, log);
    registry.onChange(({ sources }) => {
      const names = sources.flatMap(({ added, removed, changed }) => [...added, ...removed, ...changed]);
      for (const [name, { surface, endpoint }] of this.#open) {
        if (!surface.pins || !names.some(surface.pins)) continue;
        endpoint.toolsChanged();
        if (name === MAIN) void this.budget.lookAgain();
      }
    });
  }

  /** Opens the addresses that a config wants, and tells those who listen where that changes a list. */
  async follow(options: McpDoorsOptions): Promise<McpServing> {
    const openings = [[MAIN, options.openings.main] as const, ...options.openings.facets];
    const before = this.#open;
    const opened = await Promise.all(
      openings.map(async ([name, opening]) => [name, await this.#start(name, opening, options)] as const),
    );
    this.#open = new Map(opened);
    for (const [name, { listed, endpoint }] of opened) {
      if (before.has(name) && before.get(name)?.listed !== listed) endpoint.toolsChanged();
    }
    for (const [name, listeners] of this.#listeners) {
      if (this.#open.has(name)) continue;
      listeners.end();
      this.#listeners.delete(name);
    }
    const facets = new Map(this.#open);
    facets.delete(MAIN);
    return { main: this.#open.get(MAIN) as McpDoor, facets };
  }

  /** Lets go of clients that only listen, so that nobody waits for them. */
  endListening(): void {
    for (const listeners of this.#listeners.values()) listeners.end();
  }

  async #start(name: string, { surface, reach }: Opening, options: McpDoorsOptions): Promise<Open> {
    const { createListeners, createMcpProjection, createPins } = await import(
      "../../projections/to-mcp/index.ts"
    );
    const listeners = this.#listeners.get(name) ?? createListeners();
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
    const { tools } = createPins(surface)(this.#registry.snapshot());
    const listed = JSON.stringify([surface.core, surface.query, ...tools.keys()]);
    return { endpoint, reach, surface, listed };
  }
}
