import { setTimeout as sleep } from "node:timers/promises";
import type { CREDENTIAL_KEYS } from "../../config/index.ts";
import type { KeptSource, OnSet, OperationSpec, SourceOptions, SourceSet } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";

/** The keys of a source that hold references to its credentials. */
export type CredentialKey = (typeof CREDENTIAL_KEYS)[number];

/** What is to be inspected. */
export interface InspectOptions {
  /** What the source would be called. */
  readonly name: string;
  /** An address, or a file. */
  readonly reference: string;
  readonly directory: string;
  /** Sent to the address as a bearer token. */
  readonly token?: string | undefined;
  /** Called instead of what a document names. */
  readonly server?: URL | undefined;
  /** How long an address may be silent before something else is tried; each kind has its own default. */
  readonly patienceMs?: number | undefined;
  readonly outbound: Outbound;
  readonly signal: AbortSignal;
}

/** What was learned about a source. */
export interface Finding {
  readonly kind: string;
  readonly title: string | undefined;
  readonly warnings: readonly string[];
  /** The credentials that it asks for. */
  readonly wants: readonly CredentialKey[];
  /** True: it says nothing about itself without a credential, or refused the one that it got. */
  readonly locked: boolean;
  readonly specs: readonly OperationSpec[];
  /** True: it says where people can sign in with a browser (OAuth). */
  readonly signsIn?: boolean;
  /** True: its document, too, is shown only to those with a credential. */
  readonly documentLocked?: boolean;
  /** True: some of its operations can be called without a credential. */
  readonly isPartlyOpen?: boolean;
  /** Where its calls go, if that is elsewhere. */
  readonly origins?: ReadonlySet<string>;
}

/** A source that was looked at once, or why nothing is to be seen of it. */
export type Inspected = Finding | { readonly problem: string };

/** Everything of a source is looked at, and nothing of it is called. */
export const LOOKED_AT = {
  external: ["*"],
  scopes: [],
  public: false,
  timeoutMs: 20_000,
  refreshMs: 3_600_000,
} satisfies Omit<SourceOptions, "name"> & { readonly refreshMs: number };

/** Looks once at a source that the gateway would keep imported, and closes it. */
export async function inspectKept(
  kind: string,
  { token, patienceMs }: Pick<InspectOptions, "token" | "patienceMs">,
  start: (onSet: OnSet) => KeptSource,
): Promise<Inspected> {
  let set: SourceSet | undefined;
  const source = start((found) => {
    set = found;
  });
  try {
    await Promise.race([
      source.firstAttempt,
      ...(patienceMs === undefined ? [] : [sleep(patienceMs, undefined, { ref: false })]),
    ]);
    const health = source.health();
    if (health.state === "unhealthy" && health.code === "UNAUTHORIZED")
      return { kind, title: undefined, warnings: [], wants: ["token"], locked: true, specs: [] };
    if (health.state !== "healthy" || !set)
      return { problem: health.state === "unhealthy" ? health.reason : "it does not answer" };
    return {
      kind,
      title: set.source.title,
      warnings: health.leftOut,
      wants: token === undefined ? [] : ["token"],
      locked: false,
      specs: set.registrations.map(({ spec }) => spec),
    };
  } finally {
    await source.close();
  }
}
