import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { test } from "node:test";
import { screenLookup } from "./screen-lookup.ts";

function resolve(answer: string | string[] | Error, all = true): Promise<string | LookupAddress[]> {
  const lookup: LookupFunction = (_, options, callback) => {
    assert.equal(options.all, true);
    if (answer instanceof Error) return callback(answer, "");
    if (typeof answer === "string") return callback(null, answer, 4);
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  const screened = screenLookup(lookup, (host, reason) => new Error(`${host}: ${reason}`));
  return new Promise((resolve, reject) => {
    screened("a.example", { all }, (error, address) => (error ? reject(error) : resolve(address)));
  });
}

test("public addresses stay, the others are left out", async () => {
  assert.deepEqual(await resolve(["127.0.0.1", "1.1.1.1", "::1", "2606:4700::1111"]), [
    { address: "1.1.1.1", family: 4 },
    { address: "2606:4700::1111", family: 6 },
  ]);
});

test("one address is answered where one is asked for", async () => {
  assert.equal(await resolve(["10.0.0.1", "1.1.1.1"], false), "1.1.1.1");
  assert.equal(await resolve("1.1.1.1", false), "1.1.1.1");
});

test("a name without a public address is refused", async () => {
  await assert.rejects(resolve(["10.0.0.1", "::1"]), /a\.example: a private address/);
  await assert.rejects(resolve("127.0.0.1"), /a\.example: a loopback address/);
  await assert.rejects(resolve([]), /a\.example: no address/);
});

test("a failure of the name service stays what it is", async () => {
  const failure = new Error("ENOTFOUND");
  await assert.rejects(resolve(failure), (error) => error === failure);
});
