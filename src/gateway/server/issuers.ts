import type { Config } from "../../config/index.ts";
import { type Log, parseJson, type Registry } from "../../core/index.ts";
import {
  createIssuerResolver,
  type FetchDocument,
  type IssuerResolver,
  nameOfIssuer,
} from "../../identity/index.ts";
import { createOutbound, type Outbound } from "../../outbound/index.ts";
import type { Serving } from "./serving.ts";

type IssuerConfig = Config["issuers"][number];

/** Metadata and keys are a few kilobytes. */
const MAX_DOCUMENT_BYTES = 1_048_576;

/** Accepted issuers of tokens: kept across reloads, with their keys, as long as the config says the same about them. */
export class Issuers {
  readonly #log: Log;
  #known: ReadonlyMap<string, IssuerResolver> = new Map();
  readonly #outbounds = new Map<boolean, Outbound>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** One resolver for each issuer, in the order of the config. */
  resolversFor({ issuers }: Pick<Config, "issuers">): readonly IssuerResolver[] {
    const before = this.#known;
    this.#known = new Map(
      issuers.map((config) => {
        const key = JSON.stringify(config);
        return [key, before.get(key) ?? this.#start(config)];
      }),
    );
    return [...this.#known.values()];
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#outbounds.values()].map((outbound) => outbound.close()));
  }

  #start({ audience, allowPrivate, ...issuer }: IssuerConfig): IssuerResolver {
    const audiences = [audience].flat().map(String);
    const fetchDocument = fetchBy(this.#outboundFor(allowPrivate));
    const resolver = createIssuerResolver({ ...issuer, audiences }, { fetchDocument, log: this.#log });
    resolver.prepare();
    return resolver;
  }

  #outboundFor(allowPrivate: boolean): Outbound {
    const known = this.#outbounds.get(allowPrivate);
    if (known) return known;
    const outbound = createOutbound({ allowPrivate, maxResponseBytes: MAX_DOCUMENT_BYTES, log: this.#log });
    this.#outbounds.set(allowPrivate, outbound);
    return outbound;
  }
}

/** Tells callers without a token, or with too few scopes, about the issuers, if there are any. */
export function signInOf({ issuers }: Pick<Config, "issuers">, registry: Registry): Serving["signIn"] {
  if (issuers.length === 0) return undefined;
  return {
    registry,
    issuers: issuers.map(({ issuer }) => issuer),
    scopes: [...new Set(issuers.flatMap(({ scopes }) => scopes))],
    obtainable({ id }) {
      const own = issuers.find((issuer) => id.startsWith(`${nameOfIssuer(issuer)}:`));
      return own ? [...own.scopes, ...own.furtherScopes] : [];
    },
  };
}

/** Redirects are not followed: only the config and the metadata name the address of the keys. */
function fetchBy(outbound: Outbound): FetchDocument {
  return async (url, signal) => {
    const headers = { accept: "application/json" };
    const response = await outbound.fetch(url, { headers, signal, redirect: "manual" });
    const text = await response.text();
    return { status: response.status, body: response.ok ? parseJson(text) : undefined };
  };
}
