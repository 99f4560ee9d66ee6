import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { type TestContext, test } from "node:test";
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
