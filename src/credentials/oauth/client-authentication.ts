import { randomUUID } from "node:crypto";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { SignJWT } from "jose";
import { addClientSecret, type SigningKey } from "../index.ts";

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_SECONDS = 60;

/** A client of an authorization server, with a secret, with a key, or with neither. */
export interface OauthClient {
  readonly clientId: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly key?: SigningKey | undefined;
}

/** Adds what proves a client to a token request. */
type AddClientAuthentication = NonNullable<OAuthClientProvider["addClientAuthentication"]>;

/** The ways in which a client can prove itself, in the order in which they are tried. */
export function authenticationsOf({
  clientId,
  clientSecret,
  key,
}: OauthClient): readonly AddClientAuthentication[] {
  if (clientId !== undefined && key) return [signed(clientId, key)];
  if (clientId !== undefined && clientSecret !== undefined) {
    const client = { clientId, clientSecret };
    // Servers must take the secret as a header; some take it in the body only.
    return (["header", "body"] as const).map(
      (place) => (headers, form) => addClientSecret(client, place, { headers, form }),
    );
  }
  return [
    (_, form) => {
      if (clientId !== undefined) form.set("client_id", clientId);
    },
  ];
}

/** A JWT that the client signs for this one request (RFC 7523, section 2.2). */
function signed(clientId: string, { key, algorithm, keyId }: SigningKey): AddClientAuthentication {
  return async (_, form, url, metadata) => {
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, typ: "JWT", ...(keyId !== undefined && { kid: keyId }) })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(metadata?.issuer ?? String(url))
      .setIssuedAt()
      .setExpirationTime(`${ASSERTION_SECONDS}s`)
      .setJti(randomUUID())
      .sign(key);
    form.set("client_id", clientId);
    form.set("client_assertion_type", ASSERTION_TYPE);
    form.set("client_assertion", assertion);
  };
}
