import { isRecord } from "../../core/index.ts";
import { type AuthorizationServer, metadataFetch, type Search } from "./authorization-server.ts";
import { AuthorizationFailure } from "./credential.ts";
import type { LoginClient } from "./login.ts";

/** How a client may prove itself, the best for one without a place of its own first. */
const METHODS: readonly string[] = ["none", "client_secret_basic", "client_secret_post"];

/** What a client says about itself when it registers. */
export interface ClientOptions extends Pick<Search, "name" | "outbound"> {
  readonly client: LoginClient | undefined;
  readonly redirectUrl: string;
  readonly scopes: readonly string[];
}

/** The client to log in with: the one that is configured, or one that registers itself (RFC 7591). */
export async function clientFor(
  { metadata }: AuthorizationServer,
  { name, outbound, client, redirectUrl, scopes }: ClientOptions,
): Promise<LoginClient> {
  const isAddress = client !== undefined && URL.parse(client.clientId)?.protocol === "https:";
  if (client && (!isAddress || metadata.client_id_metadata_document_supported === true)) return client;
  const endpoint = metadata.registration_endpoint;
  if (endpoint === undefined) {
    throw new AuthorizationFailure(
      `${name}: clients cannot register themselves at its authorization server. Register one there, with ${redirectUrl.replace(/:\d+\//, "/")} as its address on this machine, and set sources.${name}.oauth.clientId.`,
      false,
    );
  }
  const supported = metadata.token_endpoint_auth_methods_supported ?? METHODS;
  const response = await metadataFetch(outbound)(endpoint, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      client_name: "Pinhole",
      application_type: "native",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: METHODS.find((method) => supported.includes(method)) ?? "none",
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    }),
  });
  const registered: unknown = await response.json().catch(() => undefined);
  if (!response.ok || !isRecord(registered) || typeof registered.client_id !== "string") {
    throw new AuthorizationFailure(
      `${name}: its authorization server did not register this client (HTTP ${response.status}). Register one there and set sources.${name}.oauth.clientId.`,
      false,
    );
  }
  const { client_id, client_secret, token_endpoint_auth_method } = registered;
  return {
    clientId: client_id,
    ...(typeof client_secret === "string" && { clientSecret: client_secret }),
    ...(typeof token_endpoint_auth_method === "string" && { method: token_endpoint_auth_method }),
  };
}
