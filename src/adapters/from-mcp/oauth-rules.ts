import type { BrokenRule, OauthConfig } from "../../config/index.ts";
import type { McpConfig } from "./config.ts";

type OauthRule = (oauth: OauthConfig) => BrokenRule | false | undefined;

/** Keys of `oauth` that do not fit each other. */
export function oauthRules({ oauth, tokenHeader }: McpConfig): readonly BrokenRule[] {
  if (!oauth) return [];
  const broken = RULES.map((rule) => rule(oauth)).filter((found) => typeof found === "object");
  if (tokenHeader === undefined) return broken;
  const message = "tokenHeader is for a token of your own, and oauth gets one. Remove one.";
  return [{ keys: ["tokenHeader"], message }, ...broken];
}

const RULES: readonly OauthRule[] = [
  ({ grant, clientId, clientSecret, privateKey }) =>
    (grant === "client_credentials" || grant === "enterprise_managed") &&
    !(clientId && (clientSecret || privateKey)) &&
    at("", `${grant} needs a clientId, and a clientSecret or a privateKey.`),
  ({ clientId, clientSecret }) =>
    clientSecret && clientId === undefined && at("clientSecret", needsClient("clientSecret")),
  ({ clientId, privateKey }) =>
    privateKey && clientId === undefined && at("privateKey", needsClient("privateKey")),
  ({ clientSecret, privateKey }) =>
    clientSecret &&
    privateKey &&
    at("privateKey", "a client has a clientSecret or a privateKey. Remove one."),
  ({ grant, privateKey }) =>
    grant === "authorization_code" &&
    privateKey &&
    at("privateKey", "logins use a clientSecret. Remove the privateKey, or set grant: client_credentials."),
  ({ keyAlgorithm, privateKey }) =>
    keyAlgorithm && !privateKey && at("keyAlgorithm", "it needs a privateKey beside it."),
  ({ keyId, privateKey }) =>
    keyId !== undefined && !privateKey && at("keyId", "it needs a privateKey beside it."),
  ({ grant, workloadToken }) =>
    grant === "workload_identity" && !workloadToken && at("", "workload_identity needs a workloadToken."),
  ({ grant, workloadToken }) =>
    grant !== "workload_identity" &&
    workloadToken &&
    at("workloadToken", `it is for another grant than ${grant}. Set grant: workload_identity.`),
  ({ grant, identityProvider }) =>
    grant === "enterprise_managed" &&
    !identityProvider &&
    at("", "enterprise_managed needs an identityProvider."),
  ({ grant, identityProvider }) =>
    grant !== "enterprise_managed" &&
    identityProvider &&
    at("identityProvider", `it is for another grant than ${grant}. Set grant: enterprise_managed.`),
  ({ identityProvider }) =>
    identityProvider &&
    (identityProvider.issuer === undefined) === (identityProvider.tokenUrl === undefined) &&
    at("identityProvider", "it needs either an issuer or a tokenUrl."),
];

function at(key: string, message: string): BrokenRule {
  return { keys: key === "" ? ["oauth"] : ["oauth", key], message };
}

function needsClient(key: string): string {
  return `a ${key} needs a clientId.`;
}
