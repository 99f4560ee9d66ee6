import type { Identity } from "./identity.ts";

/**
 * Outbound secrets of one operation for one principal. Only its methods give a secret away: printing,
 * spreading, inspecting or serialising the object shows nothing.
 */
export class Capabilities {
  /** Capabilities that hold nothing. */
  static readonly none: Capabilities = new Capabilities({});

  readonly #secrets: ReadonlyMap<string, string>;
  readonly #redacted: readonly string[];

  /** All of them are kept out of what a call answers, unless `redacted` says what is. */
  constructor(secrets: Readonly<Record<string, string>>, redacted = Object.values(secrets)) {
    this.#secrets = new Map(Object.entries(secrets));
    this.#redacted = redacted;
  }

  /** The secret of that name, if this principal has one. */
  get(name: string): string | undefined {
    return this.#secrets.get(name);
  }

  /** What is kept out of everything that a call with them answers. */
  redacted(): readonly string[] {
    return this.#redacted;
  }

  toJSON(): string {
    return "[capabilities]";
  }

  toString(): string {
    return "[capabilities]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[capabilities]";
  }
}

/** Finds the capabilities of one operation for the principal that a call runs for. */
export type CapabilityProvider = (
  principal: Identity,
  signal: AbortSignal,
) => Capabilities | Promise<Capabilities>;
