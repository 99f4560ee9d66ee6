import assert from "node:assert/strict";
import { test } from "node:test";
import { checkIdentities } from "./check-identities.ts";
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
