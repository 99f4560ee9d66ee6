import assert from "node:assert/strict";
import { test } from "node:test";
import { checkIdentities, checkIssuers } from "./check.ts";
import { hashToken } from "./token.ts";

const scopes: readonly string[] = [];

test("a list of identities with distinct ids and hashes is valid", () => {
  const list = ["ada", "bob"].map((id) => ({ id, tokenHash: hashToken(id), scopes }));
  assert.deepEqual(checkIdentities(list), []);
  assert.deepEqual(checkIdentities([]), []);
});

test("a second use of an id or a hash is refused, whatever the case of the digits", () => {
  const problems = checkIdentities([
    { id: "ada", tokenHash: hashToken("a"), scopes },
    { id: "ada", tokenHash: hashToken("b"), scopes },
    { id: "eve", tokenHash: hashToken("a").toUpperCase().replace("SHA", "sha"), scopes },
  ]);
  assert.deepEqual(
    problems.map(({ index, key }) => [index, key]),
    [
      [1, "id"],
      [2, "tokenHash"],
    ],
  );
  assert.match(problems[0]?.message ?? "", /^Identity 1 of the list has the id "ada" too\./);
});

test("the ids that the gateway gives out itself are refused", () => {
  for (const id of ["anonymous", "operation:text/report", ""]) {
    const [problem] = checkIdentities([{ id, tokenHash: hashToken("a"), scopes }]);
    assert.equal(problem?.key, "id", id);
  }
});

test("an invalid token hash is refused with the command that makes one, and is not quoted", () => {
  for (const tokenHash of ["", "ph_verysecret", "sha256:", "sha256:xyz", `sha512:${"a".repeat(64)}`]) {
    const [problem] = checkIdentities([{ id: "ada", tokenHash, scopes }]);
    assert.equal(problem?.key, "tokenHash", tokenHash);
    assert.match(problem?.message ?? "", /Run `pinhole token`/);
    assert.doesNotMatch(problem?.message ?? "", /verysecret/);
  }
});

const given = (
  issuer: string,
  more: Partial<Parameters<typeof checkIssuers>[0][number]> = {},
): Parameters<typeof checkIssuers>[0][number] => ({
  issuer,
  allowPrivate: false,
  ...more,
});

const problemsOf = (
  issuers: readonly Parameters<typeof checkIssuers>[0][number][],
  ids: readonly string[] = [],
) =>
  checkIssuers(
    issuers,
    ids.map((id) => ({ id })),
  ).map(({ index, key }) => [index, key]);

test("issuers are called over https, or on this machine if private addresses are allowed", () => {
  for (const issuer of ["https://login.example", "https://login.example/tenant", "https://10.0.0.1:8443"]) {
    assert.deepEqual(problemsOf([given(issuer)]), [], issuer);
  }
  for (const issuer of ["http://127.0.0.1:3000", "http://localhost:3000", "http://[::1]:3000"]) {
    assert.deepEqual(problemsOf([given(issuer, { allowPrivate: true })]), [], issuer);
    assert.deepEqual(problemsOf([given(issuer)]), [[0, "issuer"]], issuer);
  }
  for (const issuer of [
    "http://login.example",
    "http://10.0.0.1",
    "http://127.0.0.1.evil.example",
    "http://localhost.evil.example",
    "https://user:password@login.example",
    "https://login.example?tenant=1",
    "https://login.example#part",
    "ftp://login.example",
    "https://",
  ]) {
    assert.deepEqual(problemsOf([given(issuer, { allowPrivate: true })]), [[0, "issuer"]], issuer);
  }
});

test("keys are fetched as safely as metadata", () => {
  const issuer = "https://login.example";
  assert.deepEqual(problemsOf([given(issuer, { jwksUri: "https://keys.example/jwks" })]), []);
  assert.deepEqual(problemsOf([given(issuer, { jwksUri: "http://login.example/jwks" })]), [[0, "jwksUri"]]);
});

test("two issuers, or an issuer and an identity, that could be taken for each other are refused", () => {
  const one = given("https://login.example/a");
  const two = given("https://login.example/b");
  assert.deepEqual(problemsOf([one, two]), [[1, "name"]]);
  assert.deepEqual(problemsOf([one, given("https://login.example/b", { name: "b" })]), []);
  assert.deepEqual(problemsOf([one, given("https://login.example/a", { name: "b" })]), [[1, "issuer"]]);
  assert.deepEqual(problemsOf([one], ["login.example:ada"]), [[0, "name"]]);
  assert.deepEqual(problemsOf([one], ["login.example", "ada", "login.example.org:ada"]), []);
  assert.deepEqual(problemsOf([given("https://login.example", { name: "operation" })]), [[0, "name"]]);
});
