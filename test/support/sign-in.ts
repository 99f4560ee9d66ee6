import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { CALLBACK } from "./authorization-server.ts";
import { browse } from "./browser.ts";

type Stored = Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
type Discovered = Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>;
type Registered = Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;

/** A client that signs in by itself: the official SDK with its OAuth, and a browser that a person agrees in. */
export class SigningInClient implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: "A client of the tests",
    application_type: "native",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  /** The pages that a person was sent to. */
  readonly visits: URL[] = [];
  #registered: Registered;
  #tokens: Stored;
  #verifier = "";
  #discovered: Discovered;

  /** Registers itself at the server, unless it is registered already with some issuer. */
  constructor(registered?: { readonly client_id: string; readonly issuer: string }) {
    this.#registered = registered;
  }

  clientInformation = (): Registered => this.#registered;
  saveClientInformation = (registered: NonNullable<Registered>): void => {
    this.#registered = registered;
  };
  tokens = (): Stored => this.#tokens;
  saveTokens = (tokens: NonNullable<Stored>): void => {
    this.#tokens = tokens;
  };
  redirectToAuthorization = (url: URL): void => {
    this.visits.push(url);
  };
  saveCodeVerifier = (verifier: string): void => {
    this.#verifier = verifier;
  };
  codeVerifier = (): string => this.#verifier;
  saveDiscoveryState = (discovered: NonNullable<Discovered>): void => {
    this.#discovered = discovered;
  };
  discoveryState = (): Discovered => this.#discovered;

  /** Connects, signing in on the way where the server wants it. */
  async connect(url: URL, mode: "auto" | "legacy" = "auto"): Promise<Client> {
    return this.signingIn(url, async () => {
      const client = new Client({ name: "sign-in", version: "0" }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(url, { authProvider: this }));
      return client;
    });
  }

  /** Does some work again after signing in, where it was refused for want of that. */
  async signingIn<Answer>(url: URL, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      const page = this.visits.at(-1);
      if (!(error instanceof UnauthorizedError) || !page) throw error;
      const transport = new StreamableHTTPClientTransport(url, { authProvider: this });
      await transport.finishAuth((await browse(page)).searchParams);
      return work();
    }
  }
}
