import { inSlices, isRecord, type Registration } from "../../core/index.ts";
import { readingSteps, type SecurityScheme } from "../../formats/index.ts";
import { createOutbound, OutboundError } from "../../outbound/index.ts";
import type { CredentialKey, Finding, InspectOptions, Probed } from "../source/index.ts";
import type { OpenapiConfig } from "./config.ts";
import { importDocument } from "./import-document.ts";
import { createDocumentLoader } from "./load-document.ts";

const PATIENCE_MS = 20_000;
const PROBE_MS = 5_000;

/** Default time for an address to answer. */
const SILENCE_MS = 5_000;

/** Result of a request for a document. */
export type FoundAt =
  | { readonly found: "document" }
  | {
      /** `silent`: the address accepts the request and does not answer. */
      readonly found: "locked" | "nothing" | "unreachable" | "silent";
      readonly problem: string;
      /** It names a place where people can sign in with a browser (RFC 9728). */
      readonly signsIn?: boolean;
    };

/** Asks an address for a document, without parsing it yet. */
export async function findDocument(options: InspectOptions): Promise<FoundAt> {
  const { reference, outbound, token, signal, patienceMs = SILENCE_MS } = options;
  const headers = {
    accept: "application/json, application/yaml, text/yaml, */*;q=0.5",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const silent = new AbortController();
  const silence = setTimeout(() => silent.abort(), patienceMs);
  const patience = AbortSignal.any([signal, silent.signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const response = await outbound.fetch(reference, { headers, signal: patience });
    clearTimeout(silence);
    const type = response.headers.get("content-type") ?? "";
    const refuse = async (found: "locked" | "nothing", problem: string): Promise<FoundAt> => {
      await response.body?.cancel();
      const challenge = response.headers.get("www-authenticate") ?? "";
      return { found, problem, signsIn: /\bresource_metadata\s*=/i.test(challenge) };
    };
    if (response.status === 401 || response.status === 403)
      return await refuse("locked", `it answered ${response.status}: it wants a credential`);
    if (response.status !== 200) return await refuse("nothing", `it answered ${response.status}`);
    if (type.startsWith("text/event-stream")) return await refuse("nothing", "it answered with events");
    if (type.startsWith("text/html")) return await refuse("nothing", "it answered with a web page");
    if (looksLikeDocument(await response.text())) return { found: "document" };
    return { found: "nothing", problem: "its answer contains neither openapi nor swagger" };
  } catch (error) {
    signal.throwIfAborted();
    if (silent.signal.aborted) return { found: "silent", problem: "it did not answer" };
    if (!(error instanceof OutboundError)) return { found: "nothing", problem: String(error) };
    if (error.kind === "refused") return { found: "unreachable", problem: error.message };
    return { found: "nothing", problem: error.happened };
  } finally {
    clearTimeout(silence);
  }
}

/** Looks once at a document, for `pinhole add`. Throws an ImportError for an unusable document. */
export async function inspectDocument(options: InspectOptions): Promise<Finding> {
  const { name, reference, directory, outbound, token, server, signal } = options;
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const load = createDocumentLoader({ reference, directory, outbound, headers });
  const document = await load(undefined, signal);
  if (!document) throw new Error("There is no document.");
  const given = { name, headers: {}, external: ["*"], scopes: [], public: false, operations: {}, server };
  const { set, warnings, origins } = await importDocument(
    document,
    { ...given, timeoutMs: 1, outbound },
    signal,
  );
  const { operations } = await inSlices(readingSteps(document, { variables: {} }), signal);
  return {
    kind: "openapi",
    title: set.source.title,
    warnings: warnings.map(({ where, message }) => (where === "" ? message : `${where}: ${message}`)),
    wants: credentialsFor(operations.map(({ security }) => security)),
    isPartlyOpen: operations.some(({ security }) => isOpen(security)),
    locked: false,
    origins,
    specs: set.registrations.map(({ spec }) => spec),
  };
}

/** Asks the API for a sign of life, because a document says nothing about it. */
export async function probeService(
  { server, allowPrivate }: OpenapiConfig,
  registrations: readonly Registration[],
): Promise<Probed> {
  const places = [server, ...registrations.map(({ target }) => isRecord(target) && target.server)];
  const origin = places.map((place) => URL.parse(String(place))?.origin).find(Boolean);
  if (!origin)
    return { answers: "Its document is read; the API was not tried because no address of it is known" };
  const outbound = createOutbound({ allowPrivate, tries: 1 });
  try {
    const init = { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(PROBE_MS) } as const;
    const response = await outbound.fetch(origin, init);
    await response.body?.cancel();
    return { answers: `Its document is read, and ${origin} answers` };
  } catch (error) {
    const reason = error instanceof OutboundError ? error.happened : String(error);
    return { problem: `Its document is read, but the API does not answer: ${reason}` };
  } finally {
    await outbound.close();
  }
}

/** Sets of schemes; each set is enough to call an operation. */
type Needs = readonly (readonly SecurityScheme[])[] | undefined;

function isOpen(needs: Needs): boolean {
  return !needs?.length || needs.some((set) => set.length === 0);
}

/** The credentials that most operations can be called with: each operation takes one of its sets of schemes. */
function credentialsFor(needs: readonly Needs[]): readonly CredentialKey[] {
  const counts = new Map<string, number>();
  for (const sets of needs) {
    if (isOpen(sets)) continue;
    for (const set of sets ?? []) {
      const keys = set.map(keysFor);
      if (keys.some((key) => key.length === 0)) continue;
      const wanted = [...new Set(keys.flat())].join(" ");
      counts.set(wanted, (counts.get(wanted) ?? 0) + 1);
    }
  }
  const [best] = [...counts].sort(([, one], [, other]) => other - one);
  return best ? (best[0].split(" ") as CredentialKey[]) : [];
}

function keysFor(scheme: SecurityScheme): readonly CredentialKey[] {
  switch (scheme.kind) {
    case "bearer":
      return ["token"];
    case "basic":
      return ["username", "password"];
    case "apiKey":
      return ["apiKey"];
    case "oauth2":
      return scheme.tokenUrl === undefined ? ["token"] : ["clientId", "clientSecret"];
    case "unsupported":
      return [];
  }
}

/** A quick look; parsing comes later and reports problems. */
function looksLikeDocument(text: string): boolean {
  return /"(?:openapi|swagger)"\s*:|^["']?(?:openapi|swagger)["']?\s*:/m.test(text);
}
