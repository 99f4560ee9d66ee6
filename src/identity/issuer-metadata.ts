import { isRecord } from "../core/index.ts";

/** Fetches a JSON document; rejects if it cannot. */
export type FetchDocument = (
  url: URL,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Failure to get the keys of an issuer; the message is for the operator. */
export class IssuerUnusable extends Error {}

/** The URL of an issuer's keys, from its metadata. The metadata must contain the exact identifier. */
export async function discoverJwksUri(
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
