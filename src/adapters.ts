/** `pinhole/adapters`: MCP servers, HTTP APIs and peers as sources of a registry inside a program. */
import { resolve } from "node:path";
import { type ConfigOfKind, SOURCE_KINDS } from "./adapters/index.ts";
import { closeShared, type SourceDefinition } from "./adapters/source/index.ts";
import { DEFAULTS, makeNodeId, type SourceConfig, sourceFrom } from "./config/index.ts";
import { type Log, type Registry, SILENT_LOG, type SourceHealth, type SourceSet } from "./core/index.ts";
import { Outbounds, startSupplied } from "./gateway/sources/index.ts";
import { SecretsInUse } from "./observe/index.ts";

export {
  defineSource,
  type SourceDefinition,
  type Startable,
  type StartSurroundings,
  sourceOptionsOf,
  type UpstreamSource,
} from "./adapters/source/index.ts";
export { ConfigError, EVERY_KIND, type SourceConfig, type SourceOf } from "./config/index.ts";

/** Options of a source that are not keys of its kind. */
export interface SourceSurroundings {
  /** The name of the source, and the namespace of its operations. */
  readonly name: string;
  readonly log?: Log;
  /** Variables that `{ env: NAME }` names; those of the process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The directory that file names are relative to; the working directory by default. */
  readonly directory?: string;
  /** A unique name of this node, by which peers find loops; random by default. */
  readonly nodeId?: string;
}

/** A source that is kept imported until it is closed. */
export interface ImportedSource {
  readonly name: string;
  health(): SourceHealth;
  /** Its operations; undefined before the first successful import. */
  set(): SourceSet | undefined;
  /** Registers its operations, now and whenever they change, until the source is closed. */
  attach(registry: Registry): void;
  /** Imports its operations again. */
  refresh(): Promise<void>;
  /** Removes its operations from the registries and ends its connections. */
  close(): Promise<void>;
}

/** The keys of a kind of source, as in `pinhole.yaml`; those with a default may be left out. */
type Keys<Kind extends keyof typeof SOURCE_KINDS> = Omit<Partial<ConfigOfKind<Kind>>, Kind | "kind">;

/** Options of fromMcp: the address, and the keys of a source of the kind mcp. */
export interface FromMcpOptions extends SourceSurroundings, Keys<"mcp"> {
  readonly url: string | URL;
}

/** Options of fromOpenApi: the document, and the keys of a source of the kind openapi. */
export interface FromOpenApiOptions extends SourceSurroundings, Keys<"openapi"> {
  /** An address, or a file. */
  readonly document: string | URL;
}

/** Options of fromCall: the address, and the keys of a source of the kind peer. */
export interface FromCallOptions extends SourceSurroundings, Keys<"peer"> {
  readonly url: string | URL;
}

/**
 * Imports an MCP server. A server that cannot be reached is an unhealthy source, which is tried again.
 *
 *     const github = await fromMcp({ name: "github", url, token: { env: "GITHUB_TOKEN" }, external: "*" });
 *     github.attach(runtime.registry);
 */
export function fromMcp({ url, ...rest }: FromMcpOptions): Promise<ImportedSource> {
  return startSource(SOURCE_KINDS.mcp, { ...rest, mcp: String(url) });
}

/** Imports an HTTP API by its OpenAPI or Swagger document. */
export function fromOpenApi({ document, ...rest }: FromOpenApiOptions): Promise<ImportedSource> {
  return startSource(SOURCE_KINDS.openapi, { ...rest, openapi: String(document) });
}

/** Imports a peer, over the call protocol. */
export function fromCall({ url, ...rest }: FromCallOptions): Promise<ImportedSource> {
  return startSource(SOURCE_KINDS.peer, { ...rest, peer: String(url) });
}

/**
 * Starts a source of any kind, also of one that `defineSource` made, and waits for its first import. Throws a ConfigError
 * about keys that the kind does not have or that have wrong values.
 */
export async function startSource<Config extends SourceConfig>(
  definition: SourceDefinition<Config>,
  given: SourceSurroundings & Readonly<Record<string, unknown>>,
): Promise<ImportedSource> {
  const { name, log = SILENT_LOG, env, directory = process.cwd(), nodeId = makeNodeId(), ...keys } = given;
  // A kind takes any source of its own kind, and no other gets there.
  const kind = definition as unknown as SourceDefinition;
  const config = sourceFrom(name, keys, kind);
  const inUse = new SecretsInUse();
  const guarded = inUse.guard({ debug: () => {}, info: () => {}, ...log, warn: log.warn, error: log.error });
  const outbounds = new Outbounds(guarded);
  const shared = new Map<new () => unknown, unknown>();
  const registries = new Set<Registry>();
  let current: SourceSet | undefined;

  const wanted = {
    name,
    config,
    directory: resolve(directory),
    logins: resolve(directory, DEFAULTS.logins.directory),
    placeOf: (path: readonly string[]) => ({ path: path.join(".") }),
  };
  const supplied = startSupplied(
    { wanted, definition: kind, ...(env && { env }) },
    {
      log: guarded,
      nodeId,
      watch: true,
      outbound: (allowPrivate, settings) => outbounds.for(allowPrivate, settings),
      shared<Instance>(kind: new () => Instance) {
        const known = (shared.get(kind) as Instance | undefined) ?? new kind();
        shared.set(kind, known);
        return known;
      },
      attempted: async () => {},
      onSecrets: (secrets) => inUse.add(secrets),
      onSet(set) {
        for (const registry of registries) registry.apply({ replace: [set] });
        current = set;
      },
    },
  );
  await supplied.firstAttempt;

  return {
    name,
    health: supplied.health,
    set: () => current,
    attach(registry) {
      if (current) registry.apply({ replace: [current] });
      registries.add(registry);
    },
    refresh: supplied.refresh,
    async close() {
      for (const registry of registries) registry.apply({ remove: [name] });
      registries.clear();
      await supplied.close();
      await closeShared(shared.values(), guarded);
      await outbounds.close();
    },
  };
}
