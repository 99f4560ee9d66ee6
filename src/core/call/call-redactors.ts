import type { Capabilities, Registration } from "../model/index.ts";
import { CallError, createRedactor, NotJson, type Redactor } from "../model/index.ts";

interface Compiled {
  readonly secrets: readonly string[];
  readonly redactor: Redactor;
}

const NO_SECRETS = () => [];

/**
 * What is kept out of the answers of a call: the secrets of its source and the credential of its principal, and never those of
 * other people, because an answer that lacks them would tell them. Compiled once, and again when a source has new ones.
 */
export class CallRedactors {
  readonly #known = new WeakMap<() => readonly string[], WeakMap<Capabilities, Compiled>>();

  /** The redactor for what a call with these capabilities answers now. */
  of({ secrets: ofSource = NO_SECRETS }: Registration, capabilities: Capabilities): Redactor {
    const known = this.#known.get(ofSource) ?? new WeakMap<Capabilities, Compiled>();
    this.#known.set(ofSource, known);
    const secrets = [...ofSource(), ...capabilities.redacted()];
    const compiled = known.get(capabilities);
    if (compiled && isSame(compiled.secrets, secrets)) return compiled.redactor;
    const redactor = createRedactor(secrets);
    known.set(capabilities, { secrets, redactor });
    return redactor;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, at) => each === other[at]);
}

/** The same error without the secrets; its cause stays, because only a log sees it. */
export function redactError(error: CallError, redactor: Redactor): CallError {
  const message = redactor.text(error.message);
  const details = cleanDetails(error.details, redactor);
  if (message === error.message && details === error.details) return error;
  const { code, retryable, cause } = error;
  return new CallError(code, message, { retryable, cause, details });
}

function cleanDetails(details: unknown, redactor: Redactor): unknown {
  try {
    return redactor.value(details);
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}
