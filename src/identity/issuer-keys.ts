import { CallError, isRecord, type Log, messageOf } from "../core/index.ts";
import type { Issuer } from "./issuer.ts";

/** Keys older than this are read again while they are still used. */
const READ_AGAIN_MS = 5 * 60_000;
/** Keys older than this are used only once the issuer has been asked again. */
const ASK_FIRST_MS = 60 * 60_000;
/** Time for which keys stay valid while their issuer is unreachable. */
const OUTLIVE_MS = 24 * 60 * 60_000;
/** Pause after a failed request to an issuer: longer if its old keys are still valid. */
const REST_MS = 2_000;
const LONG_REST_MS = 30_000;
/** Rate of reads because of unknown key ids: a burst, then one per interval. */
const EXTRA_READS = 3;
const EXTRA_READ_EVERY_MS = 30_000;
const TIMEOUT_MS = 10_000;
const MAX_KEYS = 100;

/** Fetches a JSON document; rejects if it cannot. */
export type FetchDocument = (
  url: URL,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Failure to get the keys of an issuer; the message is for the operator. */
class IssuerUnusable extends Error {}

/** The keys of an issuer as they were published. */
export interface JwkSet {
  readonly keys: readonly Record<string, unknown>[];
}

/** Dependencies of the key store. */
interface IssuerKeysOptions extends Pick<Issuer, "issuer" | "jwksUri"> {
  readonly fetchDocument: FetchDocument;
  readonly log: Log;
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Told when the issuer has other keys than before. */
  readonly onChange: () => void;
}

/** The keys of one issuer: read when they are needed, kept, and read again when they change. */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #jwksUri: URL | undefined;
  #known: { readonly set: JwkSet; readonly text: string } | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #extraReads = EXTRA_READS;
  #extraSince: number;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    this.#extraSince = options.now();
    if (options.jwksUri !== undefined) this.#jwksUri = new URL(options.jwksUri);
  }

  /** The current keys; throws UNAVAILABLE if there are none. */
  async current(): Promise<JwkSet> {
    const age = this.#options.now() - this.#readAt;
    if (age >= ASK_FIRST_MS) await this.#readUnlessResting();
    else this.refreshIfDue();
    if (this.#known && this.#options.now() - this.#readAt < OUTLIVE_MS) return this.#known.set;
    throw new CallError(
      "UNAVAILABLE",
      "The presented token cannot be checked, because its issuer does not answer. Try again later.",
      { details: { retryAfterMs: REST_MS } },
    );
  }

  /**
   * The keys after a token named an unknown one; undefined if nothing new is available. Anyone can
   * make up such tokens, so the issuer is asked seldom.
   */
  async renewed(): Promise<JwkSet | undefined> {
    if (!this.#reading && !this.#takeExtraRead()) return undefined;
    const before = this.#known?.text;
    await this.#readUnlessResting();
    return this.#known?.text === before ? undefined : this.#known?.set;
  }

  /** Reads old keys again in the background, so that one that was taken back is not trusted for long. */
  refreshIfDue(): void {
    if (this.#options.now() - this.#readAt >= READ_AGAIN_MS) void this.#readUnlessResting();
  }

  #takeExtraRead(): boolean {
    const now = this.#options.now();
    const earned = Math.floor((now - this.#extraSince) / EXTRA_READ_EVERY_MS);
    this.#extraReads = Math.min(EXTRA_READS, this.#extraReads + earned);
    this.#extraSince += earned * EXTRA_READ_EVERY_MS;
    if (this.#extraReads === 0) return false;
    this.#extraReads--;
    return true;
  }

  /** All callers share one read; a caller that goes away must not end it for the others. */
  #readUnlessResting(): Promise<void> {
    if (this.#reading) return this.#reading;
    const rest = this.#known ? LONG_REST_MS : REST_MS;
    if (this.#options.now() - this.#failedAt < rest) return Promise.resolve();
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { issuer, fetchDocument, log, now, onChange } = this.#options;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      this.#jwksUri ??= await discoverJwksUri(issuer, fetchDocument, signal);
      const { status, body } = await fetchDocument(this.#jwksUri, signal);
      const set = toJwkSet(body);
      if (status !== 200 || !set) {
        throw new IssuerUnusable(`${this.#jwksUri.href} answered ${status} instead of keys.`);
      }
      const text = JSON.stringify(set);
      const changed = this.#known !== undefined && this.#known.text !== text;
      this.#known = { set, text };
      this.#readAt = now();
      if (changed) onChange();
    } catch (error) {
      this.#failedAt = now();
      // The keys may have moved; the metadata knows.
      if (this.#options.jwksUri === undefined) this.#jwksUri = undefined;
      log.warn("The keys of an issuer cannot be read", {
        issuer,
        reason: messageOf(error),
        keepsOldKeys: this.#known !== undefined,
      });
    }
  }
}

function toJwkSet(body: unknown): JwkSet | undefined {
  if (!isRecord(body) || !Array.isArray(body.keys) || body.keys.length > MAX_KEYS) return undefined;
  return { keys: body.keys.filter(isRecord) };
}

/** The URL of an issuer's keys, from its metadata. The metadata must contain the exact identifier. */
async function discoverJwksUri(
  issuer: string,
  fetchDocument: FetchDocument,
  signal: AbortSignal,
): Promise<URL> {
  for (const url of metadataUrls(issuer)) {
    const { status, body } = await fetchDocument(url, signal);
    if (status === 404 || status === 405) continue;
    if (status !== 200 || !isRecord(body)) {
      throw new IssuerUnusable(`${url.href} answered ${status} instead of metadata.`);
    }
    return jwksUriIn(body, issuer, url);
  }
  throw new IssuerUnusable(`${issuer} has no metadata. Give its jwksUri in the config.`);
}

/** OpenID Connect Discovery 4 puts the well-known part at the end, RFC 8414 section 3 in front of the path. */
function metadataUrls(issuer: string): readonly URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const places = [
    `${path}/.well-known/openid-configuration`,
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
  ];
  return [...new Set(places)].map((place) => new URL(place, origin));
}

function jwksUriIn(metadata: Record<string, unknown>, issuer: string, from: URL): URL {
  if (metadata.issuer !== issuer) {
    const other =
      typeof metadata.issuer === "string" ? JSON.stringify(metadata.issuer.slice(0, 200)) : "nothing";
    throw new IssuerUnusable(
      `The metadata at ${from.href} is that of ${other}, not of ${issuer}. Write the issuer exactly as it names itself.`,
    );
  }
  const { jwks_uri: jwksUri } = metadata;
  const url = typeof jwksUri === "string" && URL.canParse(jwksUri) ? new URL(jwksUri) : undefined;
  if (!url) throw new IssuerUnusable(`The metadata at ${from.href} has no jwks_uri.`);
  // Keys that anyone on the way can change are worth nothing, however well the metadata was protected.
  if (url.protocol !== "https:" && url.origin !== from.origin) {
    throw new IssuerUnusable(`The metadata at ${from.href} leads to keys over plain HTTP.`);
  }
  return url;
}
