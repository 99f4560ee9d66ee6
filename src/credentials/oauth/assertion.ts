import { requestJwtAuthorizationGrant } from "@modelcontextprotocol/client";
import { CallError } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { assertSecure, metadataOf } from "./authorization-server.ts";
import { AuthorizationFailure } from "./credential.ts";
import { tokenFetch } from "./token-fetch.ts";

/** The token that an assertion is for. */
interface AssertionRequest {
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** Makes the JWT that an authorization server takes for a token (RFC 7523, section 2.1). */
export type MakeAssertion = (request: AssertionRequest) => Promise<string>;

interface IdentityProvider {
  /** The name of the source, for errors. */
  readonly name: string;
  readonly outbound: Pick<Outbound, "fetch" | "send">;
  readonly issuer?: string | undefined;
  /** Its token endpoint, if it does not describe itself. */
  readonly tokenUrl?: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly idToken: string;
}

/** Exchanges an ID token at the identity provider of a company for an assertion to another authorization server. */
export function assertionOfIdentityProvider(options: IdentityProvider): MakeAssertion {
  const { name, outbound, clientId, clientSecret, idToken } = options;
  return async ({ issuer: audience, resource, scopes }) => {
    const tokenEndpoint = await tokenEndpointOf(options);
    try {
      const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
        tokenEndpoint,
        audience,
        resource,
        idToken,
        clientId,
        ...(clientSecret !== undefined && { clientSecret }),
        ...(scopes.length > 0 && { scope: scopes.join(" ") }),
        fetchFn: tokenFetch(`${name}: the identity provider`, outbound),
      });
      return jwtAuthGrant;
    } catch (error) {
      if (error instanceof CallError) throw error;
      // Not quoted: the SDK repeats the body of the answer, which may be anything.
      throw new AuthorizationFailure(
        `${name}: the identity provider does not vouch for the gateway. Check sources.${name}.oauth.identityProvider, and whether its idToken has expired.`,
        false,
      );
    }
  };
}

async function tokenEndpointOf({ name, outbound, issuer = "", tokenUrl }: IdentityProvider): Promise<string> {
  if (tokenUrl === undefined) return (await metadataOf({ name, issuer, outbound })).token_endpoint;
  assertSecure(name, tokenUrl);
  return tokenUrl;
}
