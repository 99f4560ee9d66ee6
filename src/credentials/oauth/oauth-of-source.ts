import { mkdirSync } from "node:fs";
import { type OauthConfig, watchConfig } from "../../config/index.ts";
import type { Log } from "../../core/index.ts";
import type { Outbound } from "../../outbound/index.ts";
import { type OauthSecrets, type OnSecrets, ownSecretValues, readSigningKey } from "../index.ts";
import { assertionOfIdentityProvider } from "./assertion.ts";
import { ClientGrant } from "./client-grant.ts";
import type { OauthCredential } from "./credential.ts";
import { LoginFile, loginPath } from "./login-file.ts";
import { LoginGrant } from "./login-grant.ts";

interface OauthSource {
  readonly name: string;
  readonly url: URL;
  readonly oauth: OauthConfig;
  readonly secrets: OauthSecrets;
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
  const { name, url, oauth, secrets, logins, outbound, log, onSecrets } = source;
  const { clientId, issuer, dpop } = oauth;
  if (oauth.grant !== "authorization_code")
    return { credential: clientGrantOf(source), watch: () => () => {} };
  const { clientSecret } = secrets;
  const grant = new LoginGrant({
    ...{ name, server: url, issuer, outbound, dpop, log, onSecrets },
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

/** A grant without a person. The rules of the config require what each of them needs. */
function clientGrantOf({ name, url, oauth, secrets, outbound, onSecrets }: OauthSource): OauthCredential {
  const { clientId, issuer, scopes, dpop, identityProvider, keyAlgorithm: algorithm, keyId } = oauth;
  const { clientSecret, privateKey, workloadToken, idToken = "", identityProviderSecret } = secrets;
  const key = privateKey === undefined ? undefined : readSigningKey(privateKey, { algorithm, keyId });
  const assertion =
    workloadToken !== undefined
      ? async () => workloadToken
      : identityProvider &&
        assertionOfIdentityProvider({
          ...{ ...identityProvider, clientSecret: identityProviderSecret, idToken },
          ...{ name, outbound },
        });
  return new ClientGrant({
    ...{ name, server: url, issuer, outbound, scopes, dpop, assertion, onSecrets },
    client: { clientId, clientSecret, key },
    advice: adviceOn({ name, oauth }),
    secrets: ownSecretValues({ forAll: {}, discovery: {}, oauth: secrets }),
  });
}

/** Advice if there is no token. */
function adviceOn({ name, oauth }: Pick<OauthSource, "name" | "oauth">): string {
  const { grant, clientSecret, privateKey, keyId, dpop } = oauth;
  const keys = [
    ...(grant === "workload_identity" ? ["workloadToken"] : []),
    ...(privateKey || clientSecret ? ["clientId"] : []),
    ...(privateKey ? [keyId === undefined ? "privateKey" : `privateKey (key id ${keyId})`] : []),
    ...(clientSecret ? ["clientSecret"] : []),
  ];
  const clock = privateKey || dpop ? ", and the clock of this machine" : "";
  return `Check ${keys.join(" and ")} in sources.${name}.oauth${clock}.`;
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
