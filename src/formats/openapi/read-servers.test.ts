import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DocumentRefused } from "./check-document.ts";
import { readDocument } from "./read-document.ts";

const REGION = { enum: ["eu", "us"], default: "eu" };
const SERVERS = [
  { url: "https://{region}.example.com:{port}", variables: { region: REGION, port: { default: "443" } } },
];

function serversOf(servers: object, variables: Readonly<Record<string, string>>, own?: object) {
  const get = { responses: {}, ...(own && { servers: own }) };
  const root = { openapi: "3.1.0", servers, paths: { "/a": { get } } };
  return readDocument({ root }, { variables }).operations[0]?.servers;
}

function refusal(servers: object, variables: Readonly<Record<string, string>>): string {
  try {
    serversOf(servers, variables);
  } catch (error) {
    assert.ok(error instanceof DocumentRefused);
    return error.message;
  }
  return "";
}

describe("the variables of servers", () => {
  test("server variables have the given values, or the defaults of the document", () => {
    assert.deepEqual(serversOf(SERVERS, {}), ["https://eu.example.com:443"]);
    assert.deepEqual(serversOf(SERVERS, { region: "us" }), ["https://us.example.com:443"]);
    assert.deepEqual(serversOf(SERVERS, { region: "us", port: "8443" }), ["https://us.example.com:8443"]);
  });

  test("server variables select the server that has them and allows their values", () => {
    const tenant = { url: "https://{tenant}.example.com", variables: { tenant: { default: "demo" } } };
    const plain = { url: "https://example.com" };
    assert.deepEqual(serversOf([plain, tenant], { tenant: "acme" }), [
      "https://acme.example.com",
      "https://example.com",
    ]);
    const asia = { url: "https://{region}.asia.example.com", variables: { region: { enum: ["jp"] } } };
    assert.deepEqual(serversOf([...SERVERS, asia], { region: "jp" }), ["https://jp.asia.example.com"]);
  });

  test("server variables also apply to the servers of single operations", () => {
    const own = [{ url: "https://files.{region}.example.com", variables: { region: REGION } }];
    assert.deepEqual(serversOf([], { region: "us" }, own), ["https://files.us.example.com"]);
  });

  test("an unknown server variable or value is refused with the valid ones", () => {
    assert.equal(
      refusal(SERVERS, { regoin: "us" }),
      "variables.regoin is not a variable of a server; there are: region, port.",
    );
    assert.equal(
      refusal(SERVERS, { region: "mars" }),
      'variables.region cannot be "mars"; the document allows: eu, us.',
    );
    assert.match(refusal([{ url: "/" }], { region: "eu" }), /have no variables\.$/);
    assert.match(refusal(SERVERS, { constructor: "x" }), /^variables\.constructor is not a variable/);
  });
});

describe("the address of a document of Swagger 2", () => {
  const serversFor = (more: object) =>
    readDocument({ root: { swagger: "2.0", paths: { "/a": { get: {} } }, ...more } }).operations[0]?.servers;

  test("a Swagger 2 server uses its scheme, or that of the document's own URL", () => {
    const host = "api.example.com";
    assert.deepEqual(serversFor({ host, schemes: ["http", "https"] }), ["https://api.example.com/"]);
    assert.deepEqual(serversFor({ host, schemes: ["http"], basePath: "v1" }), ["http://api.example.com/v1"]);
    assert.deepEqual(serversFor({ host, basePath: "/v1" }), [
      "//api.example.com/v1",
      "https://api.example.com/v1",
    ]);
    assert.deepEqual(serversFor({ basePath: "/v1" }), ["/v1"]);
  });
});
