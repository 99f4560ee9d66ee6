import { CallError, type Capabilities } from "../../core/index.ts";
import type { ClientCredentials, ClientSecret } from "../../credentials/index.ts";
import { keyNameOf } from "../../credentials/index.ts";
import type { ApiOperation, SecurityScheme } from "../../formats/index.ts";
import { encode, type RequestParts } from "./request.ts";

interface AuthoriseOptions {
  readonly capabilities: Capabilities;
  readonly clientCredentials: ClientCredentials;
  /** Secrets may go to an address without TLS. */
  readonly allowClear: boolean;
  /** The base of a relative token URL. */
  readonly server: string;
  /** The name of the operation, for errors. */
  readonly what: string;
}

const BEARER: SecurityScheme = { kind: "bearer" };

/**
 * Adds credentials to a request, in the first way that the document allows and the capabilities suffice for. Returns the
 * client secret, if one was used.
 */
export async function authorise(
  parts: RequestParts,
  security: ApiOperation["security"],
  options: AuthoriseOptions,
): Promise<ClientSecret | undefined> {
  // If the document is silent, a configured token is still meant to be sent.
  const allowed = security ?? [[BEARER]];
  const schemes = allowed.find((all) => all.length > 0 && all.every((scheme) => canUse(scheme, options)));
  if (schemes && !options.allowClear && options.server.startsWith("http:"))
    throw plaintextAddresses(options.what);
  let used: ClientSecret | undefined;
  for (const scheme of schemes ?? []) used = (await apply(parts, scheme, options)) ?? used;
  return used;
}

function plaintextAddresses(what: string): CallError {
  return new CallError(
    "UNAVAILABLE",
    `${what}: the document names an address without TLS, and the credential would go there in the clear. The operator of this gateway should set server to an https:// address, or allowPrivate: true for a network of their own.`,
    { retryable: false },
  );
}

function canUse(scheme: SecurityScheme, options: AuthoriseOptions): boolean {
  const has = (name: string) => options.capabilities.get(name) !== undefined;
  switch (scheme.kind) {
    case "bearer":
      return has("token");
    case "basic":
      return has("username");
    case "apiKey":
      return keyOf(scheme, options) !== undefined;
    case "oauth2":
      return has("token") || clientSecretOf(scheme, options) !== undefined;
    case "unsupported":
      return false;
  }
}

async function apply(
  parts: RequestParts,
  scheme: SecurityScheme,
  options: AuthoriseOptions,
): Promise<ClientSecret | undefined> {
  const secret = (name: string) => options.capabilities.get(name);
  switch (scheme.kind) {
    case "bearer":
      parts.headers.push(["authorization", `Bearer ${secret("token")}`]);
      return undefined;
    case "basic": {
      const pair = `${secret("username")}:${secret("password") ?? ""}`;
      parts.headers.push(["authorization", `Basic ${Buffer.from(pair).toString("base64")}`]);
      return undefined;
    }
    case "apiKey":
      putKey(parts, scheme, keyOf(scheme, options) ?? "");
      return undefined;
    case "oauth2":
      return applyOauth(parts, scheme, options);
    case "unsupported":
      return undefined;
  }
}

/** The key of this scheme, the one for all, or the token. */
function keyOf(
  { id }: SecurityScheme & { readonly kind: "apiKey" },
  { capabilities }: AuthoriseOptions,
): string | undefined {
  return capabilities.get(keyNameOf(id)) ?? capabilities.get("apiKey") ?? capabilities.get("token");
}

function putKey(
  { headers, query, cookies }: RequestParts,
  { place, name }: SecurityScheme & { readonly kind: "apiKey" },
  key: string,
): void {
  if (place === "header") headers.push([name, key]);
  else if (place === "query") query.push(`${encode(name)}=${encode(key)}`);
  else cookies.push(`${name}=${encode(key)}`);
}

async function applyOauth(
  { headers }: RequestParts,
  scheme: SecurityScheme & { readonly kind: "oauth2" },
  options: AuthoriseOptions,
): Promise<ClientSecret | undefined> {
  const given = options.capabilities.get("token");
  const secret = given === undefined ? clientSecretOf(scheme, options) : undefined;
  const token = secret ? await options.clientCredentials.token(secret, options.what) : given;
  headers.push(["authorization", `Bearer ${token}`]);
  return secret;
}

function clientSecretOf(
  { tokenUrl, scopes }: SecurityScheme & { readonly kind: "oauth2" },
  { capabilities, server }: AuthoriseOptions,
): ClientSecret | undefined {
  const clientId = capabilities.get("clientId");
  const clientSecret = capabilities.get("clientSecret");
  if (tokenUrl === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  const url = URL.parse(tokenUrl, server);
  return url ? { tokenUrl: url.href, clientId, clientSecret, scopes } : undefined;
}
