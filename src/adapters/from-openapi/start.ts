import {
  createRedactor,
  ImportError,
  type Imported,
  type KeptSource,
  keepImported,
  type OnSet,
} from "../../core/index.ts";
import { ClientCredentials } from "../../credentials/index.ts";
import {
  type Startable,
  type StartSurroundings,
  sourceOptionsOf,
  type UpstreamSource,
} from "../source/index.ts";
import type { OpenapiConfig } from "./config.ts";
import { importDocument } from "./import-document.ts";
import { createDocumentLoader, documentHeadersOf } from "./load-document.ts";
import { type LoadedDocument, MAX_DOCUMENT_BYTES, type OpenapiSourceOptions } from "./options.ts";

/** Starts an OpenAPI source. */
export function startOpenapi(
  wanted: Startable<OpenapiConfig>,
  { log, outbound, onSet, onSecrets }: StartSurroundings,
): UpstreamSource {
  const { openapi, server, headers, operations, variables, apiKeys, refreshMs, allowPrivate } = wanted.config;
  const { tls } = wanted.secrets;
  const options = {
    ...sourceOptionsOf(wanted),
    load: createDocumentLoader({
      reference: openapi,
      directory: wanted.directory,
      outbound: outbound(allowPrivate, { tls, maxResponseBytes: MAX_DOCUMENT_BYTES }),
      headers: documentHeadersOf(wanted.config, wanted.secrets.discovery),
    }),
    server: server === undefined ? undefined : new URL(server),
    variables,
    apiKeys: Object.keys(apiKeys),
    headers,
    operations,
    refreshMs,
    outbound: outbound(allowPrivate, { tls }),
    allowClear: allowPrivate,
    log,
    onSecrets,
  };
  return createOpenapiSource(options, onSet);
}

const MAX_WARNINGS = 20;

/** Keeps an API imported: reads its document at the start, and again from time to time. */
export function createOpenapiSource(options: OpenapiSourceOptions, onSet: OnSet): KeptSource {
  const { name, log, refreshMs } = options;
  const clientCredentials = new ClientCredentials(options.outbound, options.onSecrets);
  const secrets = () => [...(options.secrets?.() ?? []), ...clientCredentials.tokens()];
  /** Fingerprint of the last accepted document; a refused one is read again. */
  let known: string | undefined;
  let origins: ReadonlySet<string> | undefined;
  /** Accepts the document that was read last, and logs its warnings. */
  let remember = () => {};

  async function attempt(signal: AbortSignal): Promise<Imported | undefined> {
    const document = await options.load(known, signal);
    if (document === undefined) return undefined;
    const {
      set,
      warnings,
      withoutEffect,
      origins: found,
    } = await importDocument(withoutSecrets(document, secrets()), { ...options, clientCredentials }, signal);
    refuseNewOrigins(found);
    remember = () => {
      known = document.fingerprint;
      origins = found;
      for (const { where, message } of warnings.filter((each) => !each.leftOut).slice(0, MAX_WARNINGS))
        log.warn("A document is not as it should be", { source: name, where, reason: message });
    };
    const leftOut = warnings
      .filter((each) => each.leftOut)
      .map(({ where, message }) => new ImportError("SCHEMA_PARSE", `${where}: ${message}`));
    return { set, leftOut, warnings: withoutEffect };
  }

  /** A changed document must not be able to send the secrets of this gateway to a new origin. */
  function refuseNewOrigins(found: ReadonlySet<string>): void {
    const added = options.capabilities && origins ? [...found].filter((origin) => !origins?.has(origin)) : [];
    if (added.length === 0) return;
    throw new ImportError(
      "DISCOVERY_FAILED",
      `The document now names ${added.join(", ")}, which would get the credentials of this source. The old document stays; set server, or restart the gateway if the change is intended.`,
    );
  }

  return keepImported({
    name,
    log,
    refreshMs,
    attempt,
    secrets,
    onSet(set) {
      onSet(set);
      remember();
    },
  });
}

/** Redacts a document before anything of it is read, cut or compared: it may repeat the credentials of the request. */
function withoutSecrets(document: LoadedDocument, secrets: readonly string[]): LoadedDocument {
  const { root, files } = createRedactor(secrets).value({
    root: document.root,
    files: document.files && [...document.files],
  });
  return { ...document, root, ...(files && { files: new Map(files) }) };
}
