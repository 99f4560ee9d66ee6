import {
  type Startable,
  type StartSurroundings,
  sourceOptionsOf,
  type UpstreamSource,
} from "../source/index.ts";
import type { OpenapiConfig } from "./config.ts";
import { createDocumentLoader, documentHeadersOf } from "./document/index.ts";
import { createOpenapiSource } from "./openapi-source.ts";
import { MAX_DOCUMENT_BYTES } from "./options.ts";

/** Starts to import an API. */
export function startOpenapi(
  wanted: Startable<OpenapiConfig>,
  { log, outbound, onSet }: StartSurroundings,
): UpstreamSource {
  const { openapi, server, headers, operations, variables, apiKeys, refreshMs, allowPrivate } = wanted.config;
  const options = {
    ...sourceOptionsOf(wanted),
    load: createDocumentLoader({
      reference: openapi,
      directory: wanted.directory,
      outbound: outbound(allowPrivate, MAX_DOCUMENT_BYTES),
      headers: documentHeadersOf(wanted.config, wanted.secrets.discovery),
    }),
    server: server === undefined ? undefined : new URL(server),
    variables,
    apiKeys: Object.keys(apiKeys),
    headers,
    operations,
    refreshMs,
    outbound: outbound(allowPrivate),
    allowClear: allowPrivate,
    log,
  };
  return createOpenapiSource(options, onSet);
}
