import { mkdirSync } from "node:fs";
import { type OauthConfig, watchConfig } from "../../config/index.ts";
import type { Log } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import type { OnSecrets } from "../index.ts";
import { clientSecretGrant } from "./client-grant.ts";
import type { OauthCredential } from "./credential.ts";
import { LoginFile, loginPath } from "./login-file.ts";
import { LoginGrant } from "./login-grant.ts";

interface OauthSource {
  readonly name: string;
  readonly url: URL;
  readonly oauth: OauthConfig;
  readonly clientSecret: string | undefined;
  /** The directory of logins. */
  readonly logins: string;
  readonly outbound: Outbound;
  readonly log: Log;
  readonly onSecrets: OnSecrets;
}

interface SourceOauth {
  readonly credential: OauthCredential;
  /** Calls back after each new login, until the returned function is called. */
  watch(onLogin: () => void): () => void;
}

/** The OAuth credential of a source, by its config. */
export function oauthOfSource(source: OauthSource): SourceOauth {
  const { name, url, oauth, clientSecret, logins, outbound, log, onSecrets } = source;
  const { clientId, issuer, scopes } = oauth;
  const protectedServer = { name, server: url, issuer, outbound, onSecrets };
  if (oauth.grant === "client_credentials") {
    // The rules of the config require both.
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

/** If the file cannot be watched, a new login is noticed when the old one fails. */
function watchLogin(logins: string, name: string, onChange: () => void): () => void {
  try {
    mkdirSync(logins, { recursive: true, mode: 0o700 });
    return watchConfig(loginPath(logins, name), onChange, { reportGone: true });
  } catch {
    return () => {};
  }
}
