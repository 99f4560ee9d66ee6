import { type Identity, Registry } from "../core/index.ts";
import { createRuntime } from "../runtime/index.ts";
import { createSearchIndex, type Explanation } from "../search/index.ts";
import { type LoadConfigOptions, loadConfig } from "./config/index.ts";
import { createLog } from "./log.ts";
import { loadPlugins } from "./plugins.ts";
import { searchOptionsOf } from "./search-options.ts";
import { Upstreams } from "./upstreams.ts";

/** The operations that a configuration brings in, without a server in front of them. */
export interface Catalogue {
  /** What `services/search` answers somebody who may see everything that is external. */
  search(query: string, limit: number): Promise<unknown>;
  /** Why the best operations are the best. */
  explain(query: string, limit: number): Promise<readonly Explanation[]>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Reads the configuration and brings in its sources, for commands that only look. */
export async function loadCatalogue(options: LoadConfigOptions): Promise<Catalogue> {
  const { config, file, directory } = await loadConfig(options);
  const registry = new Registry();
  const upstreams = new Upstreams(registry, createLog("error"));
  const sources = await loadPlugins(config, { file, directory, loads: 0 });
  const search = searchOptionsOf(config.search, directory);
  const policy = { ...config.access, deny: config.deny };
  const { dispatch } = createRuntime({ registry, sources, policy, search });
  await upstreams.follow(upstreams.plan(config, directory));
  const identity = operatorOf(registry);

  return {
    search(query, limit) {
      const input = { limit, ...(query !== "" && { query }) };
      return dispatch.invoke({ operation: "services/search", input }, { identity });
    },
    async explain(query, limit) {
      const index = createSearchIndex(registry, search);
      const explained = await index.explain(query, { caller: { identity, internal: false }, most: limit });
      index.close();
      return explained;
    },
    close: () => upstreams.close(),
  };
}

/** Somebody with every scope that any operation asks for. */
function operatorOf(registry: Registry): Identity {
  const scopes = new Set<string>();
  for (const { registration } of registry.snapshot().entries()) {
    const { access } = registration.spec;
    for (const scope of [...(access.scopes ?? []), ...(access.anyScope ?? [])]) scopes.add(scope);
  }
  return { id: "operator", authenticated: true, scopes: [...scopes] };
}
