import { permitsResource } from "../access/index.ts";
import type { CallError, Registration } from "../model/index.ts";
import { createView } from "../registry/index.ts";
import type { Account } from "./account.ts";
import type { Frame } from "./frame.ts";

/** A composed call that has failed, as far as the reader of its error may know it. */
export interface FailedStep {
  readonly requestId: string;
  /** Its name, where the reader could have made the call itself: then it may read the message too. */
  readonly operation?: string;
}

/** A call whose words are in an error. */
interface Speaker {
  readonly registration: Registration | undefined;
  readonly input: unknown;
}

interface Left {
  readonly requestId: string;
  readonly speakers: readonly Speaker[];
}

/** Remembers with which errors calls have failed: seen again further up, they came from below. */
export class ErrorsFromBelow {
  readonly #left = new WeakMap<CallError, Left>();
  /** Calls further down whose words an error repeats. */
  readonly #quoted = new WeakMap<CallError, readonly Speaker[]>();

  /** Notes that a call fails with an error. */
  leave(error: CallError, { registration, input }: Account, { requestId }: Frame): void {
    const speakers = [{ registration, input }, ...(this.#quoted.get(error) ?? [])];
    this.#left.set(error, { requestId, speakers });
  }

  /** The step below a call that has failed with this, for the caller of that call. */
  stepOf(thrown: unknown, reader: Frame): FailedStep | undefined {
    const left = this.#left.get(thrown as CallError);
    if (!left) return undefined;
    const { requestId, speakers } = left;
    const operation = speakers[0]?.registration?.spec.name;
    const isKnown = operation !== undefined && speakers.every((speaker) => couldCall(reader, speaker));
    return isKnown ? { requestId, operation } : { requestId };
  }

  /** Notes that an error repeats the words of one from below. */
  quote(error: CallError, thrown: unknown): void {
    this.#quoted.set(error, this.#left.get(thrown as CallError)?.speakers ?? []);
  }
}

/** Whether a caller could have made a call itself: that very one, so that what it names must be within reach too. */
function couldCall(reader: Frame, { registration, input }: Speaker): boolean {
  if (!registration) return false;
  const { name, access } = registration.spec;
  if (createView(reader.snapshot, reader).look(name)?.sight !== "open") return false;
  return !access.resource || permitsResource(access.resource, input, reader.identity);
}
