import { resolve } from "node:path";
import { type LoadedConfig, packageVersion, resolveSecret } from "../config/index.ts";
import type { Audit, AuditGate } from "../core/index.ts";
import { createOutbound, type Outbound } from "../outbound/index.ts";
import { type AuditFile, type AuditState, openAuditFile } from "./audit-file.ts";
import type { GatewayLog } from "./log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import type { SecretsInUse } from "./secrets-in-use.ts";
import { StrayErrors } from "./stray-errors.ts";
import { createTelemetry, type Telemetry } from "./telemetry.ts";

/** Observers of finished calls under one config. */
interface Watching {
  readonly audit: Audit;
  /** Set if the config requires records. */
  readonly auditGate: AuditGate | undefined;
  /** True if traces are exported, so that calls need spans. */
  readonly traced: boolean;
  /** Closes observers of earlier configs; call it when this config is in force. */
  takeOver(): void;
}

interface KeptTelemetry {
  readonly telemetry: Telemetry;
  readonly outbound: Outbound;
}

/** All observers of finished calls: log, metrics, audit file and trace collector. */
export class Observers {
  readonly metrics: Metrics = createMetrics();
  readonly strayErrors: StrayErrors;
  readonly #log: GatewayLog;
  readonly #secrets: SecretsInUse;
  readonly #files = new Map<string, AuditFile>();
  readonly #telemetries = new Map<string, KeptTelemetry>();

  constructor(log: GatewayLog, secrets: SecretsInUse) {
    this.#log = log;
    this.#secrets = secrets;
    this.strayErrors = new StrayErrors(log);
  }

  /** The observers of a config; throws if a file cannot be opened or a secret is missing. */
  follow(loaded: LoadedConfig): Watching {
    const file = this.#fileFor(loaded);
    const telemetry = this.#telemetryFor(loaded);
    const { metrics } = this;
    const log = this.#log;
    const secrets = this.#secrets;
    return {
      traced: telemetry !== undefined,
      auditGate: file?.gate,
      takeOver: () => void this.#closeTelemetries(telemetry),
      audit(given, content) {
        const entry = secrets.redactor().value(given);
        const { startedAt: _, span: __, ...facts } = entry;
        // One call from outside may compose a million others: the audit has them all, a log would have nothing else.
        if (entry.composed) log.debug("Composed call", facts);
        else log.info("Call", facts);
        metrics.audit(entry, content);
        file?.audit(entry, content);
        telemetry?.audit(entry, content);
      },
    };
  }

  /** State of all audit files. */
  auditState(): AuditState {
    const states = [...this.#files.values()].map((file) => file.state());
    const sum = (key: keyof AuditState) => states.reduce((total, state) => total + state[key], 0);
    return { waiting: sum("waiting"), lost: sum("lost") };
  }

  /** Writes and sends everything that waits. */
  async close(): Promise<void> {
    for (const file of this.#files.values()) file.flush();
    const { waiting } = this.auditState();
    if (waiting > 0) this.#log.error("Audit records could not be written and are lost", { records: waiting });
    await this.#closeTelemetries();
  }

  async #closeTelemetries(but?: Telemetry): Promise<void> {
    const ended = [...this.#telemetries].filter(([, { telemetry }]) => telemetry !== but);
    for (const [key] of ended) this.#telemetries.delete(key);
    await Promise.all(
      ended.map(([, { telemetry, outbound }]) => telemetry.close().then(() => outbound.close())),
    );
  }

  /** Files are kept: calls that began under an older config still write to the one that they began with. */
  #fileFor({ config, directory }: LoadedConfig): AuditFile | undefined {
    const { file, ...rest } = config.audit;
    if (file === undefined) return undefined;
    const path = resolve(directory, file);
    const key = JSON.stringify([path, rest]);
    const known = this.#files.get(key);
    if (known) return known;
    const opened = openAuditFile({
      path,
      ...rest,
      log: this.#log,
      redactor: () => this.#secrets.redactor(),
    });
    this.#files.set(key, opened);
    return opened;
  }

  #telemetryFor(loaded: LoadedConfig): Telemetry | undefined {
    const { url, headers } = loaded.config.telemetry;
    const secrets = Object.entries(headers).map(([name, reference]) => [
      name,
      resolveSecret(reference, ["telemetry", "headers", name], { ...loaded, env: process.env }),
    ]);
    this.#secrets.add(secrets.map(([, secret]) => String(secret)));
    if (url === undefined) return undefined;
    const key = JSON.stringify([url, secrets]);
    const known = this.#telemetries.get(key);
    if (known) return known.telemetry;
    // A collector usually runs next to the gateway, and the operator chose it.
    const outbound = createOutbound({ allowPrivate: true, log: this.#log });
    const telemetry = createTelemetry({
      url: new URL(url),
      headers: Object.fromEntries(secrets),
      outbound,
      version: packageVersion(),
      log: this.#log,
    });
    this.#telemetries.set(key, { telemetry, outbound });
    return telemetry;
  }
}
