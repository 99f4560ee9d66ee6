import { setTimeout as sleep } from "node:timers/promises";
import type { CREDENTIAL_KEYS } from "../../config/index.ts";
import type { KeptSource, OnSet, OperationSpec, SourceOptions, SourceSet } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";

/** The keys of a source that hold references to its credentials. */
export type CredentialKey = (typeof CREDENTIAL_KEYS)[number];

/** Options of an inspection. */
export interface InspectOptions {
  /** The name that the source would get. */
  readonly name: string;
  /** An address, or a file. */
  readonly reference: string;
  readonly directory: string;
  /** Sent to the address as a bearer token. */
  readonly token?: string | undefined;
  /** Called instead of the server in the document. */
  readonly server?: URL | undefined;
  /** Time for an address to answer before something else is tried; each kind has its own default. */
  readonly patienceMs?: number | undefined;
  readonly outbound: Outbound;
  readonly signal: AbortSignal;
}

/** Facts about a source that was looked at once. */
export interface Finding {
  readonly kind: string;
  readonly title: string | undefined;
  readonly warnings: readonly string[];
  /** Credentials that it needs. */
  readonly wants: readonly CredentialKey[];
  /** It shows nothing without a credential, or refused the one that it got. */
  readonly locked: boolean;
  readonly specs: readonly OperationSpec[];
  /** It names a place where people can sign in with a browser (OAuth). */
  readonly signsIn?: boolean;
  /** Its document needs the credential too. */
  readonly documentLocked?: boolean;
  /** Some of its operations can be called without a credential. */
  readonly isPartlyOpen?: boolean;
  /** Origins of its calls, if they are elsewhere. */
  readonly origins?: ReadonlySet<string>;
}

/** Result of an inspection, or the reason why there is none. */
export type Inspected = Finding | { readonly problem: string };

/** Options for an inspection: everything is visible, and nothing is called. */
export const INSPECTION = {
  external: ["*"],
  scopes: [],
  public: false,
  timeoutMs: 20_000,
  refreshMs: 3_600_000,
} satisfies Omit<SourceOptions, "name"> & { readonly refreshMs: number };

/** Starts a source, looks at it once and closes it. */
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
