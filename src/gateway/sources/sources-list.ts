import {
  defineOperation,
  definePlugin,
  type JsonSchema,
  ownSet,
  type Redactor,
  type Registry,
  type SourceHealth,
  type SourceSet,
} from "../../core/index.ts";
import {
  type AuditState,
  CallCounts,
  type CallReport,
  counting,
  withoutSecrets,
} from "../../observe/index.ts";

const MAX_REASONS = 20;

/** State and counts of one upstream. */
export interface UpstreamReport {
  readonly name: string;
  readonly kind: string;
  readonly health: SourceHealth;
  /** Milliseconds since the epoch. */
  readonly lastImport: number | undefined;
  readonly calls: CallReport;
  /** Undefined where connections do not last. */
  readonly reconnects: number | undefined;
  /** Milliseconds since the epoch; undefined while it is not connected, or where connections do not last. */
  readonly connectedSince?: number | undefined;
  /** Reasons why single operations are withheld although they are offered. */
  readonly withheld?: readonly string[];
  /** Removes secrets. */
  readonly redactor: Redactor;
}

/** A source in the list; the schema of `sources/list` has the other fields. */
export interface ListedSource {
  readonly name: string;
  readonly kind: string;
  readonly state: SourceHealth["state"];
  readonly operations: number;
  readonly warnings?: readonly string[];
}

const COUNT = { type: "integer", minimum: 0 } as const;
const MILLISECONDS = { type: "number", minimum: 0 } as const;

const OUTPUT: JsonSchema = {
  title: "sources",
  type: "object",
  required: ["sources"],
  properties: {
    audit: {
      type: "object",
      description: "audit records that could not be written: those that wait, and those that are lost",
      properties: { waiting: COUNT, lost: COUNT },
    },
    sources: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "kind", "state", "operations", "calls", "errors"],
        properties: {
          name: { type: "string" },
          kind: { type: "string", description: "mcp, openapi, peer, plugin and so on, as in the config" },
          state: { enum: ["connecting", "healthy", "unhealthy"] },
          operations: { ...COUNT, description: "how many are registered now" },
          leftOut: {
            type: "array",
            items: { type: "string" },
            description: "why single operations could not be taken",
          },
          warnings: {
            type: "array",
            items: { type: "string" },
            description: "what the config says about it that has no effect",
          },
          code: { type: "string", description: "what kind of failure makes it unhealthy" },
          reason: { type: "string", description: "why it is unhealthy, and what to do" },
          lastImport: { type: "string", format: "date-time", description: "when it was last found well" },
          calls: COUNT,
          errors: { ...COUNT, description: "calls that failed; not those whose caller went away" },
          lastFailure: {
            type: "object",
            properties: { code: { type: "string" }, time: { type: "string", format: "date-time" } },
            description:
              "the last call that failed: a source that is healthy as a list may still fail its calls",
          },
          latencyMs: {
            type: "object",
            properties: { p50: MILLISECONDS, p95: MILLISECONDS, max: MILLISECONDS },
            description: "of the last calls, at most 512",
          },
          strayErrors: {
            ...COUNT,
            description: "errors that its code left behind outside of calls; each is in the log",
          },
          reconnects: { ...COUNT, description: "how often a lost connection was opened again" },
        },
      },
    },
  },
};

/** Facts for a list of sources that are not in the registry. */
export interface SourceFacts {
  readonly upstreams: () => readonly UpstreamReport[];
  /** Number of errors outside of calls, by source. */
  readonly strayErrors?: ReadonlyMap<string, number>;
  /** State of the writing of audit records. */
  readonly audit?: () => AuditState;
}

/** Shows operators the state of all sources, by the operation `sources/list`. */
export class SourcesList {
  /** The operations for the registry. */
  readonly set: SourceSet;
  readonly #registry: Registry;
  readonly #facts: SourceFacts;
  readonly #plugins = new Map<string, CallCounts>();

  constructor(registry: Registry, facts: SourceFacts) {
    this.#registry = registry;
    this.#facts = facts;
    const set = definePlugin({
      name: "sources",
      description: "The state of the sources of this gateway.",
      operations: [
        defineOperation({
          name: "sources/list",
          type: "query",
          description:
            "Lists where the operations of this gateway come from: health, what could not be imported, calls, errors, latency and reconnects of each source.",
          outputSchema: OUTPUT,
          access: { scopes: ["operator"] },
          handler: () => {
            const { waiting, lost } = facts.audit?.() ?? { waiting: 0, lost: 0 };
            return { sources: this.list(), ...(waiting + lost > 0 && { audit: { waiting, lost } }) };
          },
        }),
      ],
    });
    this.set = ownSet(set);
  }

  /** Sets that do not come from a config, with their calls counted; the counts survive a reload. */
  counted(plugins: readonly SourceSet[]): readonly SourceSet[] {
    const { sources } = this.#registry.snapshot();
    for (const name of this.#plugins.keys()) if (!sources.has(name)) this.#plugins.delete(name);
    return plugins.map((set) => {
      const { name } = set.source;
      const counts = this.#plugins.get(name) ?? new CallCounts();
      this.#plugins.set(name, counts);
      return counting(set, counts, true);
    });
  }

  /** All sources, by name. */
  list(): readonly ListedSource[] {
    const { sources } = this.#registry.snapshot();
    const sizeOf = (name: string) => sources.get(name)?.registrations.length ?? 0;
    const reports = this.#facts.upstreams();
    const upstreams = reports.map((report) => toListed(report, sizeOf(report.name)));
    const names = new Set(reports.map(({ name }) => name));
    // A plugin that is gone, or came with a refused config, is not in the registry.
    const plugins = [...this.#plugins]
      .filter(([name]) => sources.has(name) && !names.has(name))
      .map(([name, counts]) => ({
        name,
        kind: "plugin",
        state: "healthy" as const,
        operations: sizeOf(name),
        ...counts.report(),
      }));
    return [...upstreams, ...plugins]
      .map((source) => {
        const strayErrors = this.#facts.strayErrors?.get(source.name);
        return strayErrors === undefined ? source : { ...source, strayErrors };
      })
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }
}

function toListed(report: UpstreamReport, operations: number) {
  const { name, kind, health, lastImport, calls, reconnects, withheld = [], redactor } = report;
  const leftOut = [...(health.state === "healthy" ? health.leftOut : []), ...withheld];
  const warnings = health.state === "healthy" ? health.warnings : [];
  const safe = (text: string) => withoutSecrets(text, redactor);
  return {
    name,
    kind,
    state: health.state,
    operations,
    ...(leftOut.length > 0 && { leftOut: reasonsOf(leftOut).map(safe) }),
    ...(warnings.length > 0 && { warnings: reasonsOf(warnings).map(safe) }),
    ...(health.state === "unhealthy" && { code: health.code, reason: safe(health.reason) }),
    ...(lastImport !== undefined && { lastImport: new Date(lastImport).toISOString() }),
    ...calls,
    ...(reconnects !== undefined && { reconnects }),
  };
}

function reasonsOf(leftOut: readonly string[]): readonly string[] {
  const more = leftOut.length - MAX_REASONS;
  return more > 0 ? [...leftOut.slice(0, MAX_REASONS), `and ${more} more`] : leftOut;
}
