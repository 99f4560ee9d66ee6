import { packageVersion } from "../../config/index.ts";
import type { Facet } from "../../contract/index.ts";
import type { Registry, SchemaValidator } from "../../core/index.ts";
import type { GatewayLog } from "../../observe/index.ts";
import type { Listeners, McpEndpoint, SessionOptions, Sessions } from "../../projections/to-mcp/index.ts";
import { MAIN, RECHECK_MS } from "../server/index.ts";
import { type Budgeted, ToolBudget } from "./tool-budget.ts";

interface EndpointOptions extends Budgeted {
  readonly validator: SchemaValidator;
  readonly stateKey: Uint8Array;
  /** Most streams, and open questions, of a caller without a limit of its own. */
  readonly connections: number;
}

/** The MCP endpoints of a gateway. Clients that listen at one are told of changes by later configs, as long as it exists. */
export class McpEndpoints {
  /** Compares the list of tools at /mcp with its budget. */
  readonly budget: ToolBudget;
  readonly #registry: Registry;
  readonly #log: GatewayLog;
  /** By endpoint. Nothing else of an earlier config is kept. */
  readonly #listeners = new Map<string, Listeners>();
  /** Running calls of clients with a session, whichever config they came in under. */
  #sessions: Sessions | undefined;
  #endpoints: ReadonlyMap<string, McpEndpoint> = new Map();
  #main: Facet | undefined;
  readonly #rechecks: NodeJS.Timeout;
  #willLook = false;

  constructor(registry: Registry, log: GatewayLog) {
    this.#registry = registry;
    this.#log = log;
    this.budget = new ToolBudget(registry, log);
    this.#rechecks = setInterval(() => void this.recheck(), RECHECK_MS).unref();
    registry.onChange(({ sources }, { presets }) => {
      this.#lookSoon();
      const { holds = () => false, presets: listed = [] } = this.#main ?? {};
      if (!this.#main?.holds && listed.length === 0) return;
      const called = new Set(listed.map((name) => presets.get(name)?.preset.operation));
      const names = sources.flatMap(({ added, removed, changed }) => [...added, ...removed, ...changed]);
      if (names.some((name) => holds(name) || called.has(name))) void this.budget.lookAgain();
    });
  }

  /** Starts the endpoints of a config, by name. Listening clients are told by `recheck`, once the config is in force. */
  async follow(options: EndpointOptions): Promise<ReadonlyMap<string, McpEndpoint>> {
    const { main, named } = options.facets;
    const facets = new Map([[MAIN, main], ...named]);
    const started = await Promise.all(
      [...facets].map(async ([name, facet]) => [name, await this.#start(name, facet, options)] as const),
    );
    const problem = started.find(([, endpoint]) => endpoint.problem !== undefined)?.[1].problem;
    if (problem !== undefined && this.#main === undefined)
      this.#log.warn("MCP is not served", { reason: problem });
    this.#endpoints = new Map(started);
    this.#main = main;
    for (const [name, listeners] of this.#listeners) {
      if (facets.has(name)) continue;
      listeners.end();
      this.#listeners.delete(name);
    }
    return this.#endpoints;
  }

  /** Ends listening clients whose token is no longer accepted, and tells the others whose list has changed. */
  recheck(): Promise<void> {
    return this.#recheck({ tokens: true });
  }

  /** Ends clients that only listen, so that nothing waits for them. */
  endListening(): void {
    clearInterval(this.#rechecks);
    for (const listeners of this.#listeners.values()) listeners.end();
  }

  /** Once for all changes of one turn. */
  #lookSoon(): void {
    if (this.#willLook) return;
    this.#willLook = true;
    setImmediate(() => {
      this.#willLook = false;
      void this.#recheck({ tokens: false });
    });
  }

  async #recheck(options: { readonly tokens: boolean }): Promise<void> {
    await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.recheck(options)));
  }

  async #start(name: string, facet: Facet, options: EndpointOptions): Promise<McpEndpoint> {
    const { Listeners, Sessions, openMcpProjection } = await import("../../projections/to-mcp/index.ts");
    this.#sessions ??= new Sessions();
    const { stateKey: key, connections: most } = options;
    const sessions: SessionOptions = { key, endpoint: name, sessions: this.#sessions, most };
    const listeners = this.#listeners.get(name) ?? new Listeners();
    this.#listeners.set(name, listeners);
    return openMcpProjection({
      ...options.mcp,
      registry: this.#registry,
      validator: options.validator,
      stateKey: key,
      version: packageVersion(),
      log: this.#log,
      facet,
      listeners,
      sessions: options.mcp.sessions === "on" ? sessions : undefined,
    });
  }
}
