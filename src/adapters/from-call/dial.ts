import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { CallError, ImportError, importCodeOf } from "../../core/index.ts";
import { screenAddress, screenLookup } from "../../outbound/index.ts";
import type { Transport } from "../../protocol/index.ts";
import { connectWs } from "../../protocol/transports/index.ts";
import type { PeerSourceOptions } from "./options.ts";

/** Opens a WebSocket to a peer. Throws an ImportError. */
export async function dial(
  { url, token, allowPrivate, tls }: Pick<PeerSourceOptions, "url" | "token" | "allowPrivate" | "tls">,
  signal: AbortSignal,
): Promise<Transport> {
  const shown = `${url.origin}${url.pathname}`;
  const refuse = (host: string, reason: string) =>
    new ImportError(
      "TRANSPORT",
      `${shown} is not called: ${host} leads to ${reason}. Set allowPrivate: true if that is meant.`,
    );
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // An IP address is not looked up.
  const reason = allowPrivate || isIP(host) === 0 ? undefined : screenAddress(host);
  if (reason !== undefined) throw refuse(host, reason);
  let refused: ImportError | undefined;
  const screened = screenLookup(lookup as LookupFunction, (name, why) => {
    refused = refuse(name, why);
    return refused;
  });
  try {
    return await connectWs(url, { token, signal, tls, ...(!allowPrivate && { lookup: screened }) });
  } catch (error) {
    if (refused) throw refused;
    throw toImportError(error, shown);
  }
}

/** The operator's error for a peer that cannot be imported. */
export function toImportError(error: unknown, shown: string): ImportError {
  if (error instanceof ImportError)
    return error.message.startsWith(shown)
      ? error
      : new ImportError(error.code, `${shown}: ${error.message}`, error);
  if (!(error instanceof CallError)) return new ImportError("TRANSPORT", `${shown} cannot be reached`, error);
  const code = error.code === "FORBIDDEN" ? "UNAUTHORIZED" : importCodeOf(error.code);
  if (code === "UNAUTHORIZED")
    return new ImportError(code, `${shown} refused the token. Set or renew the source's token.`, error);
  if (code === "TRANSPORT") return new ImportError(code, `${shown}: ${error.message}`, error);
  return new ImportError(code, `${shown} answers, but not as a node: ${error.message}`, error);
}
