import {
  createRedactor,
  ImportError,
  type Imported,
  type KeptSource,
  keepImported,
  type OnSet,
} from "../../core/index.ts";
import { ClientCredentials } from "../../credentials/oauth/index.ts";
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

const MAX_WARNINGS = 20;

/** An API that is being imported, for as long as it is not closed. */
interface OpenapiSource extends KeptSource {
  /** The secrets that are kept out of what it says. */
  secrets(): readonly string[];
}

/** Keeps an API imported: reads its document at the start and looks from time to time whether it has changed. */
export function createOpenapiSource(options: OpenapiSourceOptions, onSet: OnSet): OpenapiSource {
  const { name, log, refreshMs } = options;
  const clientCredentials = new ClientCredentials(options.outbound);
  const secrets = () => [...(options.secrets?.() ?? []), ...clientCredentials.tokens()];
  /** What was taken last; what was refused is looked at again. */
  let known: string | undefined;
  let origins: ReadonlySet<string> | undefined;
  /** Makes the document that was read last the one that is known, and tells what is odd about it. */
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

  /** Whoever can change a document must not be able to send the secrets of this gateway to a place of their own. */
  function refuseNewOrigins(found: ReadonlySet<string>): void {
    const added = options.capabilities && origins ? [...found].filter((origin) => !origins?.has(origin)) : [];
    if (added.length === 0) return;
    throw new ImportError(
      "DISCOVERY_FAILED",
      `The document now names ${added.join(", ")}, which would get the credentials of this source. The old one stays; set server, or start anew if that is meant.`,
    );
  }

  const kept = keepImported({
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
  return { ...kept, secrets };
}

/** Before anything of it is read, cut or compared: a document may be made for each client, and repeat what it was asked with. */
function withoutSecrets(document: LoadedDocument, secrets: readonly string[]): LoadedDocument {
  const { root, files } = createRedactor(secrets).value({
    root: document.root,
    files: document.files && [...document.files],
  });
  return { ...document, root, ...(files && { files: new Map(files) }) };
}
