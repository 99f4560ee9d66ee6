import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import Provider from "oidc-provider";

/** A client that gets tokens by its own secret. */
export const MACHINE = { client_id: "machine", client_secret: "machine-secret-of-the-tests" } as const;
/** A client of a person that is registered, without a secret. */
export const DESK = { client_id: "desk" } as const;
/** Where the browser of a person ends up; nothing has to listen there. */
export const CALLBACK = "http://127.0.0.1:9/callback";
/** Who is signed in whenever someone has to sign in. */
export const PERSON = "ada";

/** How an authorization server is set up. */
export interface AuthorizationServerOptions {
  readonly port?: number;
  /** The scopes that every resource has. */
  readonly scopes?: readonly string[];
  readonly tokenSeconds?: number;
  /** Clients beside the usual ones, as they are registered. */
  readonly clients?: readonly object[];
  /** Proofs of a key (DPoP) must have a nonce. */
  readonly dpopNonce?: boolean;
  /** Grants beside the usual ones, by their type. */
  readonly grants?: Readonly<Record<string, ExtensionGrant>>;
}

/** Answers a token request of a client that is known by now; undefined refuses it. */
type ExtensionGrant = (
  parameters: Readonly<Record<string, string | undefined>>,
  server: AuthorizationServer,
) => Promise<object | undefined>;

const PARAMETERS_OF_GRANTS = [
  ...["assertion", "resource", "scope", "audience"],
  ...["subject_token", "subject_token_type", "requested_token_type"],
];

interface SigningKey {
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
}

/** What a token made by hand says; what is not given is as the server would have it. */
export interface Forged {
  readonly claims?: JWTPayload;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: CryptoKey | Uint8Array;
}

/**
 * A real authorization server (oidc-provider) on loopback: it signs every visitor in as the same person and grants what is
 * asked for. It counts what is asked of it.
 */
export class AuthorizationServer {
  readonly #options: AuthorizationServerOptions;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #asked = new Map<string, number>();
  readonly #store = createProviderStore();
  #provider: Provider | undefined;
  #key: SigningKey | undefined;
  #retired: readonly JWK[] = [];
  issuer = "";

  private constructor(options: AuthorizationServerOptions) {
    this.#options = options;
  }

  static async start(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
    const started = new AuthorizationServer(options);
    started.#server.listen(options.port ?? 0, "127.0.0.1");
    await once(started.#server, "listening");
    started.issuer = `http://127.0.0.1:${started.port}`;
    await started.rotate();
    return started;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The public half of the key that signs now. */
  get publicJwk(): JWK {
    const { d: _, ...jwk } = this.#current.jwk;
    return jwk;
  }

  /** Signs with a new key from now on; the old one is no longer published unless it is kept. */
  async rotate({ keepOld = false } = {}): Promise<void> {
    this.#retired = keepOld && this.#key ? [...this.#retired, this.#key.jwk] : [];
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: "ES256", use: "sig" };
    this.#key = { jwk, privateKey };
    const provider = new Provider(this.issuer, this.#configuration([jwk, ...this.#retired]));
    for (const [type, answer] of Object.entries(this.#options.grants ?? {}))
      provider.registerGrantType(
        type,
        async (context) => {
          const body = await answer(context.oidc.params, this);
          if (!body) context.status = 400;
          context.body = body ?? { error: "invalid_grant" };
        },
        PARAMETERS_OF_GRANTS,
      );
    this.#provider = provider;
  }

  /** How often an address was asked for. */
  asked(path: string): number {
    return this.#asked.get(path) ?? 0;
  }

  /** A token of the machine for a resource, as the token endpoint answers it. */
  async tokenFor(resource: string, scope = ""): Promise<string> {
    const credentials = `${MACHINE.client_id}:${MACHINE.client_secret}`;
    const response = await fetch(`${this.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
      body: new URLSearchParams({ grant_type: "client_credentials", resource, scope }),
    });
    const answer = (await response.json()) as { access_token?: string };
    if (answer.access_token === undefined) throw new Error(`No token: ${JSON.stringify(answer)}`);
    return answer.access_token;
  }

  /** A token with the key of the server that the server itself would not give out. */
  async forge(audience: string, { claims = {}, header = {}, key }: Forged = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const said = { iss: this.issuer, aud: audience, sub: PERSON, iat: now, exp: now + 60, ...claims };
    const { kid } = this.#current.jwk;
    return new SignJWT(said)
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", ...(kid && { kid }), ...header })
      .sign(key ?? this.#current.privateKey);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  get #current(): SigningKey {
    if (!this.#key) throw new Error("The server has no key yet.");
    return this.#key;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.issuer);
    this.#asked.set(pathname, this.asked(pathname) + 1);
    if (pathname.startsWith("/interaction/")) await this.#consent(request, response);
    else await this.#provider?.callback()(request, response);
  }

  /** The person signs in and agrees to everything. */
  async #consent(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider as Provider;
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: PERSON, clientId: params.client_id });
    const scope = String(params.scope ?? "");
    grant.addOIDCScope(scope);
    for (const resource of [params.resource ?? []].flat()) grant.addResourceScope(String(resource), scope);
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(request, response, { login: { accountId: PERSON }, consent });
  }

  #configuration(keys: readonly JWK[]): object {
    const { scopes = [], tokenSeconds = 300, clients = [], dpopNonce = false } = this.#options;
    const resource = (_: unknown, audience: string) => ({
      scope: scopes.join(" "),
      audience,
      accessTokenFormat: "jwt",
      accessTokenTTL: tokenSeconds,
      jwt: { sign: { alg: "ES256" } },
    });
    return {
      adapter: this.#store,
      jwks: { keys },
      cookies: { keys: ["of the tests"] },
      clients: [
        { ...MACHINE, grant_types: ["client_credentials"], redirect_uris: [], response_types: [] },
        {
          ...DESK,
          application_type: "native",
          redirect_uris: [CALLBACK],
          grant_types: ["authorization_code", "refresh_token"],
          token_endpoint_auth_method: "none",
        },
        ...clients,
      ],
      clientDefaults: { id_token_signed_response_alg: "ES256" },
      scopes: ["openid", "offline_access", ...scopes],
      ttl: {
        AccessToken: tokenSeconds,
        ClientCredentials: tokenSeconds,
        IdToken: 300,
        Grant: 300,
        Session: 300,
        Interaction: 300,
        RefreshToken: 300,
      },
      findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
      interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1), requireNonce: () => dpopNonce },
        registration: { enabled: true },
        revocation: { enabled: true, allowedPolicy: isItsOwn },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: resource,
          useGrantedResource: () => true,
        },
      },
    };
  }
}

interface OfClient {
  readonly clientId: string;
}

function isItsOwn(_: unknown, client: OfClient, token: OfClient): boolean {
  return token.clientId === client.clientId;
}

/** What an authorization server keeps about one thing: a session, a code, a token, a registered client. */
interface Kept {
  readonly uid?: string;
  readonly grantId?: string;
  consumed?: number;
}

/**
 * The memory of one authorization server, in the shape that oidc-provider asks for. The one that it brings along warns on
 * the terminal, and is lost when the server gets new keys. The server itself checks whether something has expired.
 */
function createProviderStore(): (model: string) => object {
  const models = new Map<string, Map<string, Kept>>();
  return (model) => {
    const kept = models.get(model) ?? new Map<string, Kept>();
    models.set(model, kept);
    return {
      upsert: async (id: string, payload: Kept) => void kept.set(id, payload),
      find: async (id: string) => kept.get(id),
      findByUid: async (uid: string) => [...kept.values()].find((each) => each.uid === uid),
      findByUserCode: async () => undefined,
      async consume(id: string) {
        const found = kept.get(id);
        if (found) found.consumed = Math.floor(Date.now() / 1_000);
      },
      destroy: async (id: string) => void kept.delete(id),
      async revokeByGrantId(grantId: string) {
        for (const [id, each] of kept) if (each.grantId === grantId) kept.delete(id);
      },
    };
  };
}
