import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import { createServer } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { type TestContext, test } from "node:test";
import { screenAddress, screenLookup } from "./connector.ts";
import { createOutbound, type OutboundOptions } from "./outbound.ts";
import { OutboundError } from "./outbound-error.ts";

/** A server on loopback, and the names that were looked up. */
async function serve(t: TestContext, options: OutboundOptions = {}) {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.end("here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const outbound = createOutbound(options);
  t.after(async () => {
    await outbound.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { outbound, port, requests: () => requests };
}

/** A resolver that resolves every name to loopback. */
const toLoopback: LookupFunction = (_, __, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]);

const forbidden = (error: unknown): boolean =>
  error instanceof OutboundError && error.kind === "address-forbidden" && !error.mayHaveRun;

test("a private address is refused in every spelling", async (t) => {
  const { outbound, port, requests } = await serve(t);
  for (const host of [
    "127.0.0.1",
    "127.1",
    "127.0.0.1.",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0",
    "①②⑦.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::]",
    "169.254.169.254",
    "[fd00:ec2::254]",
  ]) {
    await assert.rejects(outbound.fetch(`http://${host}:${port}/`), forbidden, host);
  }
  assert.equal(requests(), 0);
  assert.deepEqual(outbound.stats(), { sockets: 0 });
});

test("a name that resolves to a private address is refused, and the log has the name", async (t) => {
  const refused: unknown[] = [];
  const log = { warn: (_: string, fields: unknown) => refused.push(fields), error: () => {} };
  const { outbound, port, requests } = await serve(t, { log });
  await assert.rejects(outbound.fetch(`http://localhost:${port}/?a=secret`), (error) => {
    assert.ok(forbidden(error));
    assert.equal(
      String(error),
      "OutboundError: The host localhost leads to a loopback address. Only public addresses are called. Nothing was sent; the operator of this gateway decides which addresses it calls.",
    );
    return true;
  });
  assert.equal(requests(), 0);
  assert.deepEqual(refused, [{ host: "localhost", reason: "a loopback address" }]);
});

test("the connection goes to the address that was screened, even if the name resolves differently later", async (t) => {
  const { outbound, port, requests } = await serve(t, { lookup: toLoopback });
  for (let i = 0; i < 3; i++) {
    await assert.rejects(outbound.fetch(`http://rebind.example:${port}/`), forbidden);
  }
  await assert.rejects(
    outbound.send({ method: "GET", url: `http://rebind.example:${port}/`, repeatable: true }),
    forbidden,
  );
  assert.equal(requests(), 0);
});

test("private addresses are called if allowPrivate is true", async (t) => {
  const { outbound, port } = await serve(t, { allowPrivate: true, lookup: toLoopback });
  assert.equal(await (await outbound.fetch(`http://127.0.0.1:${port}/`)).text(), "here");
  assert.equal(await (await outbound.fetch(`http://anything.example:${port}/`)).text(), "here");
});

test("a request to an unknown name has certainly not run", async (t) => {
  const unknown: LookupFunction = (_, __, callback) =>
    callback(Object.assign(new Error("getaddrinfo secret"), { code: "ENOTFOUND" }), "");
  const { outbound } = await serve(t, { lookup: unknown });
  await assert.rejects(outbound.fetch("http://nowhere.example/x"), (error) => {
    assert.ok(error instanceof OutboundError && error.kind === "refused" && !error.mayHaveRun);
    assert.equal(
      error.message,
      "The name in http://nowhere.example is not known to the name service (ENOTFOUND). Check that the service runs at this address, or try again later.",
    );
    return true;
  });
});

const REASONS: Readonly<Record<string, readonly string[]>> = {
  "a loopback address": [
    "127.0.0.1",
    "127.255.255.254",
    "::1",
    "0:0:0:0:0:0:0:1",
    "64:ff9b::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
  ],
  "a private address": [
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.127.255.255",
    "fc00::1",
    "fdff::1",
    "64:ff9b::a00:1",
  ],
  "a link-local address": [
    "169.254.169.254",
    "169.254.0.1",
    "fe80::1",
    "febf::1",
    "fe80::1%eth0",
    "64:ff9b::a9fe:a9fe",
  ],
  "an unspecified address": ["0.0.0.0", "0.1.2.3", "::"],
  "a multicast address": ["224.0.0.1", "239.255.255.255", "ff02::1"],
  "a reserved address": [
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "240.0.0.1",
    "255.255.255.255",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "64:ff9b:1::1",
    "100::1",
    "fec0::1",
    "::127.0.0.1",
    "4000::1",
  ],
};

test("an address that is not public is refused with its reason", () => {
  for (const [reason, addresses] of Object.entries(REASONS)) {
    for (const address of addresses) assert.equal(screenAddress(address), reason, address);
  }
});

test("IPv4 written as IPv6 is refused in every spelling", () => {
  for (const address of ["::ffff:169.254.169.254", "0:0:0:0:0:ffff:a00:1", "::FFFF:8.8.8.8"]) {
    assert.match(screenAddress(address) ?? "", /^a .*address$/, address);
  }
});

test("a public address passes, also right next to a forbidden range", () => {
  for (const address of [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "223.255.255.255",
    "2606:4700::1111",
    "2001:4860:4860::8888",
    "64:ff9b::1.1.1.1",
  ]) {
    assert.equal(screenAddress(address), undefined, address);
  }
});

test("text that is not an IP address is not public", () => {
  for (const text of ["", "localhost", "127.1", "2130706433", "[::1]", "1.2.3.4.5", "1.1.1.1 "]) {
    assert.equal(screenAddress(text), "not an IP address", text);
  }
});

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

test("a screened lookup keeps public addresses and drops the others", async () => {
  assert.deepEqual(await resolve(["127.0.0.1", "1.1.1.1", "::1", "2606:4700::1111"]), [
    { address: "1.1.1.1", family: 4 },
    { address: "2606:4700::1111", family: 6 },
  ]);
});

test("a screened lookup returns one address if one is asked for", async () => {
  assert.equal(await resolve(["10.0.0.1", "1.1.1.1"], false), "1.1.1.1");
  assert.equal(await resolve("1.1.1.1", false), "1.1.1.1");
});

test("a name without a public address is refused", async () => {
  await assert.rejects(resolve(["10.0.0.1", "::1"]), /a\.example: a private address/);
  await assert.rejects(resolve("127.0.0.1"), /a\.example: a loopback address/);
  await assert.rejects(resolve([]), /a\.example: no address/);
});

test("a screened lookup passes on a DNS failure", async () => {
  const failure = new Error("ENOTFOUND");
  await assert.rejects(resolve(failure), (error) => error === failure);
});
