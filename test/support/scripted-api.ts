import assert from "node:assert/strict";
import { ANONYMOUS, Capabilities, type OperationContext, type Registration } from "pinhole/core";
import { type ImportedDocument, importDocument } from "../../src/adapters/from-openapi/import-document.ts";
import type { ImportOptions } from "../../src/adapters/from-openapi/options.ts";
import { createOutbound, type OutboundRequest, type OutboundResponse } from "../../src/outbound/index.ts";

/** What a scripted service says to a request. */
export type Answer = (request: OutboundRequest) => Response | Promise<Response>;

/** Responses of an operation that answers with JSON. */
export const OK = { 200: { description: "", content: { "application/json": {} } } };

/** An outbound client that answers by itself and keeps what it was asked. */
export function scripted(answer: Answer) {
  const asked: OutboundRequest[] = [];
  async function send(request: OutboundRequest): Promise<OutboundResponse> {
    asked.push(request);
    const response = await answer(request);
    return {
      status: response.status,
      headers: response.headers,
      body: {
        bytes: async () => new Uint8Array(await response.arrayBuffer()),
        text: () => response.text(),
        stream: () => response.body ?? new ReadableStream(),
        cancel: async () => {},
      },
    };
  }
  return { asked, send };
}

/** The registration of one operation, `api/do`. */
export async function bring(
  operation: object,
  options: Partial<ImportOptions> = {},
  rest: object = {},
): Promise<Registration> {
  const { set, warnings } = await bringAll(
    { "/things": { post: { operationId: "do", responses: OK, ...operation } } },
    options,
    rest,
  );
  const [registration] = set.registrations;
  assert.ok(registration, JSON.stringify(warnings));
  return registration;
}

/** The registrations of a document with these paths. */
export function bringAll(
  paths: object,
  options: Partial<ImportOptions> = {},
  rest: object = {},
): Promise<ImportedDocument> {
  const { url, ...document } = rest as { url?: URL };
  const root = { openapi: "3.1.0", servers: [{ url: "https://api.example.com" }], paths, ...document };
  return importDocument(
    { root, fingerprint: "1", ...(url && { url }) },
    {
      name: "api",
      headers: {},
      external: [],
      scopes: [],
      public: false,
      operations: {},
      timeoutMs: 30_000,
      outbound: createOutbound(),
      ...options,
    },
  );
}

/** The context of a call that has these secrets. */
export function contextWith(secrets: Readonly<Record<string, string>> = {}): OperationContext {
  return {
    requestId: "r",
    parentRequestId: undefined,
    select: undefined,
    principal: ANONYMOUS,
    identity: ANONYMOUS,
    connection: undefined,
    overlay: undefined,
    reach: undefined,
    forwardedFor: undefined,
    capabilities: new Capabilities(secrets),
    metadata: {},
    trace: { traceparent: "00-1" },
    hops: [],
    env: { invoke: () => Promise.reject(new Error("a leaf")) },
    fetch: () => Promise.reject(new Error("fetches nothing")),
    log: console,
    signal: new AbortController().signal,
    deadline: undefined,
    resume: undefined,
    internal: false,
    dryRun: false,
    progress: () => {},
    redact: (value) => value,
    handedOn: () => {},
    requestInput: () => Promise.reject(new Error("asks nothing")),
  };
}
