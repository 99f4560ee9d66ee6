import { SILENT_LOG } from "../../src/core/index.ts";
import {
  clientSecretGrant,
  type Login,
  LoginGrant,
  type LoginStore,
} from "../../src/credentials/oauth/index.ts";
import { logIn } from "../../src/operator/login/index.ts";
import type { Outbound } from "../../src/outbound/index.ts";

/** What a scenario tells a client about itself. */
export interface ClientContext {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
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
  if (scenario.startsWith("auth/client-credentials") && clientId && clientSecret)
    return {
      oauth: clientSecretGrant({ ...protectedServer, clientId, clientSecret, scopes: [] }),
      follow: async () => false,
    };

  const client = clientId === undefined ? undefined : { clientId, clientSecret };
  const store = memoryStore();
  let logins = 0;
  return {
    oauth: new LoginGrant({ ...protectedServer, store, client, log: SILENT_LOG }),
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
