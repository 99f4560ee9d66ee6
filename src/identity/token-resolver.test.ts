import assert from "node:assert/strict";
import { test } from "node:test";
import { hashToken, newToken } from "./token.ts";
import { createTokenResolver } from "./token-resolver.ts";

test("a token resolves to the identity whose hash it has", async () => {
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

test("a token that nobody has, an empty one and the hash itself resolve to nobody", async () => {
  const { token, tokenHash } = newToken();
  const resolve = createTokenResolver([{ id: "ada", tokenHash, scopes: [] }]);
  for (const wrong of ["", tokenHash, `${token} `, token.toLowerCase(), newToken().token]) {
    assert.equal(await resolve(wrong), undefined);
  }
  assert.equal(await createTokenResolver([])(token), undefined);
});

test("a token of more than 4096 characters resolves to nobody, even with the right hash", async () => {
  const longest = "x".repeat(4096);
  const absurd = "x".repeat(4097);
  const resolve = createTokenResolver([
    { id: "ada", tokenHash: hashToken(longest), scopes: [] },
    { id: "bob", tokenHash: hashToken(absurd), scopes: [] },
  ]);
  assert.equal((await resolve(longest))?.id, "ada");
  assert.equal(await resolve(absurd), undefined);
});

test("an identity is frozen and does not follow later changes of what it was made of", async () => {
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

test("a list that cannot be used is refused at once, with what to do", () => {
  const { tokenHash } = newToken();
  assert.throws(() => createTokenResolver([{ id: "ada", tokenHash: "ph_secret", scopes: [] }]), {
    message: /^Identity 1: A tokenHash is sha256: .* Run `pinhole token`/,
  });
  const twice = { id: "ada", tokenHash, scopes: [] };
  assert.throws(() => createTokenResolver([twice, { ...twice, id: "bob" }]), /has this tokenHash too/);
});

test("what an identity may take and change comes along, frozen", async () => {
  const { token, tokenHash } = newToken();
  const limits = { callsPerSecond: 5 };
  const resolve = createTokenResolver([{ id: "ada", tokenHash, scopes: [], limits, mutations: "dry" }]);
  limits.callsPerSecond = 500;
  const identity = await resolve(token);
  assert.deepEqual([identity?.limits, identity?.mutations], [{ callsPerSecond: 5 }, "dry"]);
  assert.ok(Object.isFrozen(identity?.limits));
});
