import { SILENT_LOG } from "../../src/core/index.ts";
import { type Login, LoginGrant, type LoginStore, oauthOfSource } from "../../src/credentials/oauth/index.ts";
import { logIn } from "../../src/operator/login/index.ts";
import type { Outbound } from "../../src/outbound/index.ts";

/** What a scenario tells a client about itself. */
export interface ClientContext {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
  readonly private_key_pem?: string;
  readonly valid_jwt?: string;
  readonly idp_token_endpoint?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
}

/** The address at which the suite expects a client to describe itself. */
const DESCRIBED_AT = "https://conformance-test.local/client-metadata.json";
const MOST_LOGINS = 4;
/** The name of the source. */
const NAME = "suite";

/** Where a client is, and what it knows. */
export interface Surroundings {
  readonly scenario: string;
  readonly url: URL;
  readonly outbound: Outbound;
  readonly context: ClientContext;
}

/** The credential that the gateway would use, and the operator who does what it says. */
export function createOperator({ scenario, url, outbound, context }: Surroundings) {
  const { client_id: clientId = scenario === "auth/basic-cimd" ? DESCRIBED_AT : undefined } = context;
  const protectedServer = { name: NAME, server: url, issuer: context.issuer, outbound };
  const { client_secret: clientSecret } = context;
  const account = accountIn(scenario, context);
  if (account) {
    const source = { name: NAME, url, outbound, log: SILENT_LOG, logins: "", onSecrets: () => {} };
    return { oauth: oauthOfSource({ ...source, ...account }).credential, follow: async () => false };
  }

  const dpop = scenario.startsWith("auth/dpop");
  const client = clientId === undefined ? undefined : { clientId, clientSecret };
  const store = memoryStore();
  let logins = 0;
  return {
    oauth: new LoginGrant({ ...protectedServer, store, client, dpop, log: SILENT_LOG }),
    /** Logs in if an error says to; answers whether it did. */
    async follow(error: unknown): Promise<boolean> {
      const [advice, scopes] = /pinhole login suite(?: --scopes "([^"]*)")?/.exec(String(error)) ?? [];
      if (advice === undefined || ++logins > MOST_LOGINS) return false;
      const browsing: Promise<unknown>[] = [];
      const signal = AbortSignal.timeout(60_000);
      await logIn({
        ...protectedServer,
        store,
        client,
        dpop,
        signal,
        scopes: scopes?.split(" ") ?? [],
        redirectPort: 0,
        version: "0.0.0",
        // The suite's authorization server sends the browser straight back.
        show: (address) => void browsing.push(fetch(address)),
      });
      await Promise.all(browsing);
      return true;
    },
  };
}

/** The options of a source, and their secrets, for a scenario in which the gateway gets tokens by itself. */
function accountIn(
  scenario: string,
  context: ClientContext,
): Pick<Parameters<typeof oauthOfSource>[0], "oauth" | "secrets"> | undefined {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  const { valid_jwt: workloadToken, idp_id_token: idToken } = context;
  const secret = { file: "" };
  const common = { scopes: [], redirectPort: 0, dpop: false, ...(clientId && { clientId }) };
  switch (scenario) {
    case "auth/client-credentials-basic":
      return { oauth: { ...common, grant: "client_credentials" }, secrets: given({ clientSecret }) };
    case "auth/client-credentials-jwt":
      return {
        oauth: { ...common, grant: "client_credentials", privateKey: secret, keyAlgorithm: "ES256" },
        secrets: given({ privateKey }),
      };
    case "auth/wif-jwt-bearer":
      return {
        oauth: { ...common, grant: "workload_identity", workloadToken: secret },
        secrets: given({ workloadToken }),
      };
    case "auth/enterprise-managed-authorization": {
      // The suite's identity provider does not describe itself as OpenID Connect Discovery requires.
      const { idp_token_endpoint: tokenUrl = "", idp_client_id: idpClientId = "" } = context;
      const identityProvider = { tokenUrl, clientId: idpClientId, idToken: secret };
      return {
        oauth: { ...common, grant: "enterprise_managed", identityProvider },
        secrets: given({ clientSecret, idToken }),
      };
    }
    default:
      return undefined;
  }
}

function given<Name extends string>(secrets: Readonly<Record<Name, string | undefined>>) {
  const present = Object.entries<string | undefined>(secrets).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Partial<Record<Name, string>>;
}

function memoryStore(): LoginStore {
  let kept: Login | undefined;
  return {
    read: async () => kept,
    exclusively: (work) =>
      work(kept, async (login) => {
        kept = login;
      }),
  };
}
