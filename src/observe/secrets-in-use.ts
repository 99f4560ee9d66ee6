import { createRedactor, NO_REDACTION, type Redactor, type UnknownRecord } from "../core/index.ts";
import type { GatewayLog } from "./log.ts";

/** Replaced secrets stay known while there is space: a service may still echo them. */
const MOST_KNOWN = 20_000;

const ADDRESS = /\bhttps?:\/\/[^\s"'<>]+/gi;

/** All secrets in use, to redact them from logs, audits and everything else that operators read. */
export class SecretsInUse {
  readonly #known = new Set<string>();
  #isChanged = false;
  #redactor: Redactor = NO_REDACTION;

  /** Knows these from now on. Beyond the cap, the secrets that were added longest ago are forgotten. */
  add(secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (!this.#known.delete(secret)) this.#isChanged = true;
      this.#known.add(secret);
    }
  }

  /** The redactor for the secrets of this moment. */
  redactor(): Redactor {
    if (this.#isChanged) {
      for (const oldest of this.#known) {
        if (this.#known.size <= MOST_KNOWN) break;
        this.#known.delete(oldest);
      }
      this.#redactor = createRedactor([...this.#known]);
      this.#isChanged = false;
    }
    return this.#redactor;
  }

  /** The same log, without the secrets. */
  guard(log: GatewayLog): GatewayLog {
    const at = (level: keyof GatewayLog) => (message: string, fields?: UnknownRecord) => {
      const redactor = this.redactor();
      log[level](redactor.text(message), redactor.value(fields));
    };
    return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  }
}

/** A text for operators: without secrets, and without the parts of addresses that may contain some. */
export function withoutSecrets(text: string, redactor: Redactor): string {
  return redactor.text(text).replaceAll(ADDRESS, bareAddress);
}

function bareAddress(address: string): string {
  if (!URL.canParse(address)) return "[address]";
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname === "/" && !address.endsWith("/") ? "" : pathname}`;
}
