import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { TOKEN_HASH_PATTERN } from "./check.ts";
import { createTokenResolver, hashToken, newToken } from "./token.ts";

test("a new token carries 32 random bytes and its hash is SHA-256 of the whole text", () => {
  const { token, tokenHash } = newToken();
  assert.match(token, /^ph_[A-Za-z0-9_-]{43}$/);
  assert.equal(tokenHash, `sha256:${createHash("sha256").update(token).digest("hex")}`);
  assert.equal(hashToken(token), tokenHash);
  assert.match(tokenHash, new RegExp(TOKEN_HASH_PATTERN));
});

test("no two tokens are alike", () => {
  assert.equal(new Set(Array.from({ length: 100 }, () => newToken().token)).size, 100);
});

test("a token resolves to the identity with its hash", async () => {
  const [ada, bob] = [newToken(), newToken()];
  const resolve = createTokenResolver([
    { id: "ada", tokenHash: ada.tokenHash, scopes: ["github"], resources: { "repo:*": ["read"] } },
    {
      id: "bob",
      tokenHash: bob.tokenHash.replace(/[a-f]/g, (digit) => digit.toUpperCase()).replace("shA", "sha"),
      scopes: [],
    },
  ]);
  assert.deepEqual(await resolve(ada.token), {
    id: "ada",
    authenticated: true,
    scopes: ["github"],
    resources: { "repo:*": ["read"] },
  });
  assert.deepEqual(await resolve(bob.token), { id: "bob", authenticated: true, scopes: [] });
});

test("an unknown token, an empty one and the hash itself do not resolve to an identity", async () => {
  const { token, tokenHash } = newToken();
  const resolve = createTokenResolver([{ id: "ada", tokenHash, scopes: [] }]);
  for (const wrong of ["", tokenHash, `${token} `, token.toLowerCase(), newToken().token]) {
    assert.equal(await resolve(wrong), undefined);
  }
  assert.equal(await createTokenResolver([])(token), undefined);
});

test("a token of more than 4096 characters does not resolve, even with the right hash", async () => {
  const longest = "x".repeat(4096);
  const absurd = "x".repeat(4097);
  const resolve = createTokenResolver([
    { id: "ada", tokenHash: hashToken(longest), scopes: [] },
    { id: "bob", tokenHash: hashToken(absurd), scopes: [] },
  ]);
  assert.equal((await resolve(longest))?.id, "ada");
  assert.equal(await resolve(absurd), undefined);
});

test("a resolved identity is frozen and ignores later changes of its record", async () => {
  const { token, tokenHash } = newToken();
  const scopes = ["github"];
  const resources = { "repo:1": ["read"] };
  const resolve = createTokenResolver([{ id: "ada", tokenHash, scopes, resources }]);
  scopes.push("operator");
  resources["repo:1"].push("write");
  const identity = await resolve(token);
  assert.deepEqual(identity?.scopes, ["github"]);
  assert.deepEqual(identity?.resources, { "repo:1": ["read"] });
  for (const part of [identity, identity?.scopes, identity?.resources, identity?.resources?.["repo:1"]]) {
    assert.ok(Object.isFrozen(part));
  }
});

test("an invalid list of identities is refused at once, with advice", () => {
  const { tokenHash } = newToken();
  assert.throws(() => createTokenResolver([{ id: "ada", tokenHash: "ph_secret", scopes: [] }]), {
    message: /^Identity 1: A tokenHash is sha256: .* Run `pinhole token`/,
  });
  const twice = { id: "ada", tokenHash, scopes: [] };
  assert.throws(() => createTokenResolver([twice, { ...twice, id: "bob" }]), /has this tokenHash too/);
});

test("a resolved identity carries its limits and its mutation policy, frozen", async () => {
  const { token, tokenHash } = newToken();
  const limits = { callsPerSecond: 5 };
  const resolve = createTokenResolver([{ id: "ada", tokenHash, scopes: [], limits, mutations: "dry" }]);
  limits.callsPerSecond = 500;
  const identity = await resolve(token);
  assert.deepEqual([identity?.limits, identity?.mutations], [{ callsPerSecond: 5 }, "dry"]);
  assert.ok(Object.isFrozen(identity?.limits));
});
