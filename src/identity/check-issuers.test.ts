import assert from "node:assert/strict";
import { test } from "node:test";
import { type CheckedIssuer, checkIssuers } from "./check-issuers.ts";

const given = (issuer: string, more: Partial<CheckedIssuer> = {}): CheckedIssuer => ({
  issuer,
  allowPrivate: false,
  ...more,
});

const problemsOf = (issuers: readonly CheckedIssuer[], ids: readonly string[] = []) =>
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
