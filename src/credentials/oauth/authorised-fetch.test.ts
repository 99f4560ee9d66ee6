import assert from "node:assert/strict";
import { test } from "node:test";
import { DpopSession } from "@modelcontextprotocol/client";
import { authorisedFetch } from "./authorised-fetch.ts";
import {
  AuthorizationFailure,
  type Challenge,
  type HeldToken,
  LoginChanged,
  type OauthCredential,
} from "./credential.ts";

const SERVER = new URL("https://example.test/mcp");

/** A credential that hands out what is given, one after the other. */
function credentialOf(tokens: (HeldToken | undefined)[]) {
  const challenges: Challenge[] = [];
  const next = () => tokens.shift();
  const credential: OauthCredential = {
    token: async () => next(),
    async renew(_, challenge) {
      challenges.push(challenge);
      return next() ?? assert.fail("there is no other token");
    },
    giveUp: () => new AuthorizationFailure("given up", true),
    secrets: () => [],
  };
  return { credential, challenges };
}

/** A server that takes one token; everything else is answered as given. */
function serverTaking(good: string, refusal: () => Response) {
  const seen: (string | null)[] = [];
  const fetch = async (_: string | URL, init: RequestInit = {}) => {
    const token = new Headers(init.headers).get("authorization");
    seen.push(token);
    return token === `Bearer ${good}` ? new Response("fine") : refusal();
  };
  return { outbound: { fetch }, seen };
}

const refusal = (status: number, challenge?: string) => () =>
  new Response("no", { status, headers: challenge === undefined ? {} : { "www-authenticate": challenge } });

const a = { token: "a", login: "1" };
const b = { token: "b", login: "1" };

test("a refused token is replaced once, and the request is sent again", async () => {
  const { credential, challenges } = credentialOf([a, b]);
  const { outbound, seen } = serverTaking(
    "b",
    refusal(401, 'Bearer resource_metadata="https://example.test/meta", scope="read write"'),
  );
  const response = await authorisedFetch(outbound, credential, SERVER).fetch(SERVER, { method: "POST" });
  assert.equal(await response.text(), "fine");
  assert.deepEqual(seen, ["Bearer a", "Bearer b"]);
  assert.deepEqual(challenges, [
    {
      resourceMetadataUrl: new URL("https://example.test/meta"),
      scopes: ["read", "write"],
      lacksScopes: false,
    },
  ]);
});

test("a second refusal ends the request", async () => {
  const { credential } = credentialOf([a, b]);
  const { outbound, seen } = serverTaking("c", refusal(401));
  await assert.rejects(authorisedFetch(outbound, credential, SERVER).fetch(SERVER), /given up/);
  assert.equal(seen.length, 2);
});

test("without a token the first request goes to the server unauthenticated", async () => {
  const { credential } = credentialOf([undefined, a]);
  const { outbound, seen } = serverTaking("a", refusal(401));
  assert.equal((await authorisedFetch(outbound, credential, SERVER).fetch(SERVER)).status, 200);
  assert.deepEqual(seen, [null, "Bearer a"]);
});

test("a 403 is a challenge only if it names insufficient scopes", async () => {
  const plain = credentialOf([a]);
  const one = serverTaking("z", refusal(403));
  assert.equal((await authorisedFetch(one.outbound, plain.credential, SERVER).fetch(SERVER)).status, 403);
  const scoped = credentialOf([a, b]);
  const other = serverTaking("b", refusal(403, 'Bearer error="insufficient_scope", scope="write"'));
  assert.equal((await authorisedFetch(other.outbound, scoped.credential, SERVER).fetch(SERVER)).status, 200);
  assert.deepEqual(scoped.challenges, [
    { resourceMetadataUrl: undefined, scopes: ["write"], lacksScopes: true },
  ]);
});

test("scopes that are unsafe on a command line are left out", async () => {
  const { credential, challenges } = credentialOf([a, b]);
  const scope = "read $(reboot) `reboot` a;b c\\d user:email https://example.test/auth/x.y";
  const { outbound } = serverTaking("b", refusal(401, `Bearer scope="${scope}"`));
  await authorisedFetch(outbound, credential, SERVER).fetch(SERVER);
  assert.deepEqual(challenges[0]?.scopes, ["read", "user:email", "https://example.test/auth/x.y"]);
});

test("a token goes to the server only", async () => {
  const { credential } = credentialOf([a]);
  const { outbound, seen } = serverTaking("a", () => new Response("elsewhere"));
  await authorisedFetch(outbound, credential, SERVER).fetch("https://elsewhere.test/mcp");
  assert.deepEqual(seen, [null]);
});

test("a session does not continue with another login", async () => {
  const { credential } = credentialOf([a, b, { token: "c", login: "2" }]);
  const { outbound, seen } = serverTaking("", () => new Response("fine"));
  const session = authorisedFetch(outbound, credential, SERVER);
  await session.fetch(SERVER);
  await session.fetch(SERVER);
  await assert.rejects(session.fetch(SERVER), LoginChanged);
  assert.equal(seen.length, 2, "nothing was sent by the other");
});

test("an aborted request does not wait for a token", async () => {
  const { credential } = credentialOf([]);
  const waiting = { ...credential, token: () => new Promise<never>(() => {}) };
  const { outbound } = serverTaking("a", refusal(401));
  const stop = new AbortController();
  const fetched = authorisedFetch(outbound, waiting, SERVER).fetch(SERVER, { signal: stop.signal });
  stop.abort(new Error("given up by the caller"));
  await assert.rejects(fetched, /given up by the caller/);
});

test("a bound token is sent with a proof for each request, and with the nonce of the server", async () => {
  const dpop = await DpopSession.create();
  const { credential, challenges } = credentialOf([{ ...a, dpop }]);
  const seen: { readonly scheme: string | undefined; readonly proof: Record<string, unknown> }[] = [];
  const fetch = async (_: string | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    const proof = JSON.parse(atob(headers.get("dpop")?.split(".")[1] ?? ""));
    seen.push({ scheme: headers.get("authorization")?.split(" ")[0], proof });
    const challenge = { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": "n1" };
    return proof.nonce === "n1"
      ? new Response("fine")
      : new Response(null, { status: 401, headers: challenge });
  };
  const url = new URL("https://example.test/mcp?query=left-out");
  const session = authorisedFetch({ fetch }, credential, SERVER);
  assert.equal(await (await session.fetch(url, { method: "POST" })).text(), "fine");
  assert.deepEqual(
    seen.map(({ scheme, proof: { htm, htu, nonce } }) => [scheme, htm, htu, nonce]),
    [
      ["DPoP", "POST", SERVER.href, undefined],
      ["DPoP", "POST", SERVER.href, "n1"],
    ],
  );
  assert.notEqual(seen[0]?.proof.jti, seen[1]?.proof.jti);
  assert.deepEqual(challenges, [], "the token itself was good");
});

test("a challenge says whether a server wants bound tokens or refuses the proof of one", async () => {
  for (const [challenge, dpop] of [
    ["Bearer", undefined],
    ['DPoP algs="ES256"', "wanted"],
    ['DPoP error="invalid_dpop_proof"', "refused"],
  ] as const) {
    const { credential, challenges } = credentialOf([a, b]);
    await authorisedFetch(serverTaking("b", refusal(401, challenge)).outbound, credential, SERVER).fetch(
      SERVER,
    );
    assert.equal(challenges[0]?.dpop, dpop);
  }
});

test("a server that wants another nonce again and again gets the same token, because that is good", async () => {
  const { credential, challenges } = credentialOf([{ ...a, dpop: await DpopSession.create() }]);
  let requests = 0;
  const fetch = async () =>
    ++requests < 4
      ? new Response(null, {
          status: 401,
          headers: { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": `n${requests}` },
        })
      : new Response("fine");
  const response = await authorisedFetch({ fetch }, credential, SERVER).fetch(SERVER);
  assert.deepEqual([await response.text(), requests, challenges], ["fine", 4, []]);
});
