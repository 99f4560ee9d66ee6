import { mkdirSync } from "node:fs";
import { type OauthConfig, watchConfig } from "../../config/index.ts";
import type { Log } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { clientSecretGrant } from "./client-grant.ts";
import type { OauthCredential } from "./credential.ts";
import { LoginFile, loginPath } from "./login-file.ts";
import { LoginGrant } from "./login-grant.ts";

/** A source that gets its tokens by itself. */
interface OauthSource {
  readonly name: string;
  readonly url: URL;
  readonly oauth: OauthConfig;
  readonly clientSecret: string | undefined;
  /** Where logins are kept. */
  readonly logins: string;
  readonly outbound: Outbound;
  readonly log: Log;
}

/** The credential of a source, and how it is noticed that somebody has logged in anew. */
interface SourceOauth {
  readonly credential: OauthCredential;
  /** Calls back after another login has been made, until the answered function is called. */
  watch(onLogin: () => void): () => void;
}

/** How the tokens of a source are got, by its config. */
export function oauthOfSource(source: OauthSource): SourceOauth {
  const { name, url, oauth, clientSecret, logins, outbound, log } = source;
  const { clientId, issuer, scopes } = oauth;
  const protectedServer = { name, server: url, issuer, outbound };
  if (oauth.grant === "client_credentials") {
    // The config is refused without the two.
    const client = { clientId: clientId ?? "", clientSecret: clientSecret ?? "" };
    return {
      credential: clientSecretGrant({ ...protectedServer, ...client, scopes }),
      watch: () => () => {},
    };
  }
  const grant = new LoginGrant({
    ...protectedServer,
    log,
    store: new LoginFile(logins, name),
    client: clientId === undefined ? undefined : { clientId, clientSecret },
  });
  return {
    credential: grant,
    watch: (onLogin) =>
      watchLogin(
        logins,
        name,
        () =>
          void grant.reread().then(
            (isAnother) => isAnother && onLogin(),
            () => onLogin(),
          ),
      ),
  };
}

/** Where it cannot be watched, a new login is noticed when the old one fails. */
function watchLogin(logins: string, name: string, onChange: () => void): () => void {
  try {
    mkdirSync(logins, { recursive: true, mode: 0o700 });
    return watchConfig(loginPath(logins, name), onChange, { reportGone: true });
  } catch {
    return () => {};
  }
}
