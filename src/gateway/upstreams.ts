import type { McpSource } from "../adapters/from-mcp/index.ts";
import { Capabilities, type Registry } from "../core/index.ts";
import { createOutbound, type Outbound } from "../outbound/index.ts";
import { type Config, resolveSecret } from "./config/index.ts";
import type { GatewayLog } from "./log.ts";
import { packageVersion } from "./version.ts";

/** How long a start waits for servers that are slow to answer; they come in later. */
const START_PATIENCE_MS = 3_000;

type SourceConfig = Config["sources"][string];

/** A server that a config names, with its secret at hand. */
interface Wanted {
  readonly name: string;
  readonly config: SourceConfig;
  readonly url: URL;
  readonly token: string | undefined;
}

interface Running {
  readonly wanted: Wanted;
  readonly source: McpSource;
}

/** What a config asks of the upstreams; nothing has happened yet. */
export interface UpstreamPlan {
  /** Names of sources that stay as they are. */
  readonly kept: ReadonlySet<string>;
  readonly started: readonly Wanted[];
}

/** The servers behind the gateway: kept across reloads as long as the config says the same about them. */
export class Upstreams {
  readonly #registry: Registry;
  readonly #log: GatewayLog;
  readonly #running = new Map<string, Running>();
  readonly #outbounds = new Map<boolean, Outbound>();

  constructor(registry: Registry, log: GatewayLog) {
    this.#registry = registry;
    this.#log = log;
  }

  /** Finds out what a config changes; throws where a secret is missing. */
  plan(config: Config, directory: string): UpstreamPlan {
    const wanted = Object.entries(config.sources).flatMap(([name, source]) =>
      source.mcp === undefined ? [] : [toWanted(name, source, { url: source.mcp, directory })],
    );
    const isSame = (each: Wanted) => sameWanted(this.#running.get(each.name)?.wanted, each);
    return {
      kept: new Set(wanted.filter(isSame).map(({ name }) => name)),
      started: wanted.filter((each) => !isSame(each)),
    };
  }

  /** Stops what is not kept, starts what is new, and waits a little for the first answers. */
  async follow({ kept, started }: UpstreamPlan): Promise<void> {
    const gone = [...this.#running].filter(([name]) => !kept.has(name));
    for (const [name, { source }] of gone) {
      this.#running.delete(name);
      void source.close();
    }
    if (started.length === 0) return;
    const { createMcpSource } = await import("../adapters/from-mcp/index.ts");
    const attempts = started.map((wanted) => {
      const source = createMcpSource(this.#optionsOf(wanted), (set) =>
        this.#registry.apply({ replace: [set] }),
      );
      this.#running.set(wanted.name, { wanted, source });
      return source.firstAttempt;
    });
    await atMost(Promise.allSettled(attempts), START_PATIENCE_MS);
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ source }) => source.close()));
    await Promise.all([...this.#outbounds.values()].map((outbound) => outbound.close()));
  }

  #optionsOf({ name, config, url, token }: Wanted) {
    const { title, description, scopes, trustAnnotations, timeoutMs, refreshMs, allowPrivate } = config;
    return {
      name,
      title,
      description,
      url,
      token,
      ...(token !== undefined && { capabilities: () => new Capabilities({ token }) }),
      external: [config.external].flat().map(String),
      scopes,
      public: config.public,
      trustAnnotations,
      timeoutMs,
      refreshMs,
      outbound: this.#outboundFor(allowPrivate),
      version: packageVersion(),
      log: this.#log,
    };
  }

  #outboundFor(allowPrivate: boolean): Outbound {
    const known = this.#outbounds.get(allowPrivate);
    if (known) return known;
    const outbound = createOutbound({ allowPrivate, log: this.#log });
    this.#outbounds.set(allowPrivate, outbound);
    return outbound;
  }
}

function toWanted(
  name: string,
  config: SourceConfig,
  { url, directory }: { readonly url: string; readonly directory: string },
): Wanted {
  const token = config.token && resolveSecret(config.token, { directory, env: process.env });
  return { name, config, url: new URL(url), token };
}

function sameWanted(one: Wanted | undefined, other: Wanted): boolean {
  return one?.token === other.token && JSON.stringify(one?.config) === JSON.stringify(other.config);
}

async function atMost(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, enough]);
  clearTimeout(timer);
}
