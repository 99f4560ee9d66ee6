import assert from "node:assert/strict";
import { test } from "node:test";
import { ANONYMOUS, CallError, type CapabilityProvider, type Identity } from "../core/index.ts";
import { capabilitiesOf } from "./capabilities.ts";

const identity = (id: string): Identity => ({ id, authenticated: true, scopes: [] });
const { signal } = new AbortController();

async function tokenOf(provider: CapabilityProvider | undefined, who = identity("ada")) {
  return (await provider?.(who, signal))?.get("token");
}

test("without secrets there is nothing to hand out", () => {
  assert.equal(capabilitiesOf("up", { forAll: {}, discovery: {} }), undefined);
});

test("one credential for all is everybody's", async () => {
  const provider = capabilitiesOf("up", { forAll: { token: "shared" }, discovery: {} });
  assert.equal(await tokenOf(provider), "shared");
  assert.equal(await tokenOf(provider, ANONYMOUS), "shared");
});

test("each caller gets its own, and the others the default", async () => {
  const perIdentity = new Map([["ada", { token: "of ada" }]]);
  const secrets = { forAll: {}, discovery: {}, perIdentity, otherwise: { token: "default" } };
  const provider = capabilitiesOf("up", secrets);
  assert.equal(await tokenOf(provider), "of ada");
  for (const id of ["ben", "Ada", "constructor", "__proto__"])
    assert.equal(await tokenOf(provider, identity(id)), "default", id);
});

test("who has none is told so, and what to do", () => {
  const perIdentity = new Map([["ada", { token: "of ada" }]]);
  const provider = capabilitiesOf("up", { forAll: {}, discovery: { token: "of nobody" }, perIdentity });
  const refusal = (who: Identity) => {
    try {
      provider?.(who, signal);
    } catch (error) {
      if (error instanceof CallError) return `${error.code}: ${error.message}`;
    }
    return undefined;
  };
  assert.equal(
    refusal(identity("ben")),
    'UNAUTHORIZED_UPSTREAM: up has no credential for "ben", so nothing was sent. The operator of this gateway can add one under sources.up.credentials.perIdentity, or a default.',
  );
  assert.equal(
    refusal(ANONYMOUS),
    "UNAUTHORIZED_UPSTREAM: up has no credential for a caller without a token, so nothing was sent. Call with a token of an identity that has one.",
  );
  assert.ok(refusal(identity("constructor")));
});
