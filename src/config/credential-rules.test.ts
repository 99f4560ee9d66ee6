import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIG_SCHEMA, checkRules } from "../adapters/index.ts";
import { hashToken } from "../identity/index.ts";
import { withDefaults } from "./defaults.ts";
import type { Config } from "./schema.ts";

const URL = "https://example.com/mcp";
const SECRET = { env: "SECRET" };
const IDENTITIES = [{ id: "ada", tokenHash: hashToken("a") }];

/** What is wrong with a source, as key: message. */
function problemsOf(source: object, more: object = {}): readonly string[] {
  const config = { identities: IDENTITIES, sources: { up: source }, ...more };
  const broken = checkRules(withDefaults(CONFIG_SCHEMA, config) as Config);
  return broken.map(({ keys, message }) => `${keys.slice(2).join(".")}: ${message}`);
}

test("a source has one credential for all, credentials by caller, or oauth", () => {
  const credentials = { perIdentity: { ada: SECRET } };
  assert.deepEqual(problemsOf({ mcp: URL, credentials }), []);
  assert.deepEqual(problemsOf({ mcp: URL, oauth: {} }), []);
  assert.deepEqual(problemsOf({ mcp: URL, token: SECRET, credentials }), [
    "token: token is one credential for all, and credentials takes its place. Remove one of the two.",
  ]);
  assert.deepEqual(problemsOf({ openapi: "./a.json", apiKeys: { key: SECRET }, credentials }), [
    "apiKeys: apiKeys is one credential for all, and credentials takes its place. Remove one of the two.",
  ]);
  assert.deepEqual(problemsOf({ mcp: URL, token: SECRET, oauth: {} }), [
    "token: token is one credential for all, and oauth takes its place. Remove one of the two.",
  ]);
  assert.deepEqual(problemsOf({ mcp: URL, credentials, oauth: {} }), [
    "oauth: a source has credentials or oauth, not both. Remove one of the two.",
  ]);
});

test("credentials of a caller that no identity or issuer knows are refused", () => {
  const of = (...ids: string[]) => ({
    mcp: URL,
    credentials: { perIdentity: Object.fromEntries(ids.map((id) => [id, SECRET])) },
  });
  assert.deepEqual(problemsOf(of("adda", "nobody-like-that")), [
    'credentials.perIdentity.adda: there is no identity "adda". Did you mean ada?',
    'credentials.perIdentity.nobody-like-that: there is no identity "nobody-like-that". Add it under identities first.',
  ]);
  assert.deepEqual(problemsOf(of("operator")), [], "as which commands call");
  const issuers = [{ issuer: "https://login.example.com", audience: "x" }];
  assert.deepEqual(problemsOf(of("login.example.com:ada"), { issuers }), []);
  assert.equal(problemsOf(of("login.example.org:ada"), { issuers }).length, 1);
  assert.deepEqual(problemsOf({ mcp: URL, credentials: {} }), [
    "credentials: perIdentity is empty. Use token for one credential for all.",
  ]);
});

test("each kind of credential is for the sources that can use it", () => {
  const basic = { as: "basic", perIdentity: { ada: SECRET } };
  assert.deepEqual(problemsOf({ openapi: "./a.json", credentials: basic }), []);
  assert.deepEqual(problemsOf({ mcp: URL, credentials: basic }), [
    "credentials.as: name and password are for openapi; all others take tokens.",
  ]);
  assert.deepEqual(problemsOf({ mcp: URL, tokenHeader: "X-Key", oauth: {} }), [
    "tokenHeader: tokenHeader is for a token of your own, and oauth gets one. Remove one.",
  ]);
});

test("client credentials need a client id and a secret", () => {
  const grant = "client_credentials";
  assert.deepEqual(problemsOf({ mcp: URL, oauth: { grant, clientId: "a", clientSecret: SECRET } }), []);
  assert.deepEqual(problemsOf({ mcp: URL, oauth: { grant, clientId: "a" } }), [
    "oauth: client_credentials needs a clientId, and a clientSecret or a privateKey.",
  ]);
  assert.deepEqual(problemsOf({ mcp: URL, oauth: { clientSecret: SECRET } }), [
    "oauth.clientSecret: a clientSecret needs a clientId.",
  ]);
});

test("keys of oauth that do not fit the grant, or each other, are refused at the key", () => {
  const of = (oauth: object) => problemsOf({ mcp: URL, oauth });
  const account = { grant: "client_credentials", clientId: "a" };
  assert.deepEqual(of({ ...account, privateKey: SECRET, keyAlgorithm: "ES256", keyId: "1", dpop: true }), []);
  assert.deepEqual(of({ ...account, privateKey: SECRET, clientSecret: SECRET }), [
    "oauth.privateKey: a client has a clientSecret or a privateKey. Remove one.",
  ]);
  assert.deepEqual(of({ clientId: "a", privateKey: SECRET }), [
    "oauth.privateKey: logins use a clientSecret. Remove the privateKey, or set grant: client_credentials.",
  ]);
  assert.deepEqual(of({ ...account, clientSecret: SECRET, keyAlgorithm: "ES256", keyId: "1" }), [
    "oauth.keyAlgorithm: it needs a privateKey beside it.",
    "oauth.keyId: it needs a privateKey beside it.",
  ]);

  assert.deepEqual(of({ grant: "workload_identity", workloadToken: SECRET }), []);
  assert.deepEqual(of({ grant: "workload_identity" }), ["oauth: workload_identity needs a workloadToken."]);
  assert.deepEqual(of({ workloadToken: SECRET }), [
    "oauth.workloadToken: it is for another grant than authorization_code. Set grant: workload_identity.",
  ]);
  assert.deepEqual(of({ grant: "workload_identity", workloadToken: SECRET, privateKey: SECRET }), [
    "oauth.privateKey: a privateKey needs a clientId.",
  ]);

  const provider = { issuer: "https://login.example.com", clientId: "b", idToken: SECRET };
  const enterprise = { grant: "enterprise_managed", clientId: "a", clientSecret: SECRET };
  assert.deepEqual(of({ ...enterprise, identityProvider: provider }), []);
  assert.deepEqual(of(enterprise), ["oauth: enterprise_managed needs an identityProvider."]);
  assert.deepEqual(of({ grant: "enterprise_managed", identityProvider: provider }), [
    "oauth: enterprise_managed needs a clientId, and a clientSecret or a privateKey.",
  ]);
  assert.deepEqual(of({ identityProvider: provider }), [
    "oauth.identityProvider: it is for another grant than authorization_code. Set grant: enterprise_managed.",
  ]);
  for (const other of [{ tokenUrl: "https://login.example.com/token" }, { issuer: undefined }])
    assert.deepEqual(of({ ...enterprise, identityProvider: { ...provider, ...other } }), [
      "oauth.identityProvider: it needs either an issuer or a tokenUrl.",
    ]);
});

test("no credential is sent unencrypted, except within a network of one's own", () => {
  const clear =
    /^(?:mcp|server|openapi|peer): the credential and all calls .* unencrypted\. Write (?:https|wss):\/\//;
  const http = "http://api.example.com/x";
  const token = { token: SECRET };
  for (const source of [
    { mcp: http, ...token },
    { mcp: http, oauth: {} },
    { mcp: http, credentials: { perIdentity: { ada: SECRET } } },
    { openapi: "./a.json", server: http, apiKeys: { key: SECRET } },
    { openapi: http, documentAuth: true, ...token },
    { peer: "ws://api.example.com/x" },
  ]) {
    const problems = problemsOf(source);
    assert.equal(problems.length, 1, JSON.stringify(source));
    assert.match(problems[0] ?? "", clear);
    assert.deepEqual(problemsOf({ ...source, allowPrivate: true }), []);
  }
  for (const source of [
    { mcp: http },
    { mcp: URL, ...token },
    { openapi: http, ...token },
    { openapi: "./http.json", ...token },
  ])
    assert.deepEqual(problemsOf(source), [], JSON.stringify(source));
});
