import { lookup } from "node:dns/promises";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { findDocument, MAX_DOCUMENT_BYTES } from "../../adapters/from-openapi/index.ts";
import { type KnownSource, SOURCE_KINDS } from "../../adapters/index.ts";
import type { Finding, Inspected, InspectOptions, SourceDefinition } from "../../adapters/source/index.ts";
import { type Config, isLoopback } from "../../config/index.ts";
import { TOOL_NAMES } from "../../contract/index.ts";
import { ImportError, type OperationType } from "../../core/index.ts";
import { directTokensOf } from "../../gateway/surface/index.ts";
import { createOutbound, screenAddress } from "../../outbound/index.ts";

/** Longest silence of an address by default. */
const SILENCE_MS = 5_000;

/** Kind and operations of an address or a file. */
export interface InspectedSource
  extends Pick<Finding, "title" | "warnings" | "wants" | "locked">,
    Required<Pick<Finding, "isPartlyOpen" | "signsIn" | "documentLocked">> {
  readonly kind: KnownSource["kind"];
  /** The address or file where it was found; not always the one that was typed. */
  readonly reference: string;
  readonly operations: readonly { readonly name: string; readonly type: OperationType }[];
  /** Approximate cost for a model if each operation were a tool of its own. */
  readonly tokens: number;
  /** True: it lies on this machine or in a private network. */
  readonly isPrivate: boolean;
}

/** Detects the kind of source at an address or in a file; throws an ImportError that lists the attempts. */
export async function inspectSource(given: Omit<InspectOptions, "outbound">): Promise<InspectedSource> {
  const { reference, directory } = given;
  const isAddress = /^(?:https?|wss?):\/\//i.test(reference);
  if (!isAddress) await refuseMissing(reference, directory);
  else if (!URL.canParse(reference)) throw new ImportError("TRANSPORT", `${reference} is not an address.`);
  // An address that a person types may be in a private network.
  const outbound = createOutbound({ allowPrivate: true, tries: 1, maxResponseBytes: MAX_DOCUMENT_BYTES });
  const options = { ...given, outbound };
  try {
    const claiming = Object.values<SourceDefinition>(SOURCE_KINDS).find((kind) => kind.claims(reference));
    if (!claiming) return await inspectAddress(options);
    const found = await claiming.inspect(options);
    // Nodes that name each other start one after the other, so a silent one may be right.
    const silent = { kind: claiming.kind, title: undefined, wants: [], locked: false, specs: [] };
    return await finished(reference, "problem" in found ? { ...silent, warnings: [found.problem] } : found);
  } finally {
    await outbound.close();
  }
}

/** An HTTP address may be a document, an MCP server or another node. */
async function inspectAddress(options: InspectOptions): Promise<InspectedSource> {
  const { openapi, mcp } = SOURCE_KINDS;
  const { reference } = options;
  const url = new URL(reference);
  const document = await findDocument(options);
  if (document.found === "document") return finished(reference, found(await openapi.inspect(options)));
  if (document.found === "unreachable") throw new ImportError("TRANSPORT", document.problem);
  // Without a credential both kinds look alike, but only documents have file extensions.
  if (document.found === "locked" && /\.(?:json|ya?ml)$/i.test(url.pathname))
    return finished(reference, lockedDocument());
  const isSilent = document.found === "silent";
  const { patienceMs = SILENCE_MS } = options;
  const server = await mcp.inspect({ ...options, patienceMs: isSilent ? patienceMs : undefined });
  const { signsIn = false } = document;
  if (!("problem" in server)) return serverOrNode(url, { ...server, signsIn }, options);
  if (isSilent)
    throw new ImportError(
      "TRANSPORT",
      `${url.origin}${url.pathname} did not answer within ${Math.ceil((2 * patienceMs) / 1_000)} s. The address may well be right: ` +
        "see that the service runs and can be reached from here, then add it again.",
    );
  if (document.found === "locked") return finished(reference, lockedDocument());
  const elsewhere = url.pathname === "/" ? await nearby(options) : undefined;
  if (elsewhere) return elsewhere;
  throw new ImportError(
    "DISCOVERY_FAILED",
    `${url.origin}${url.pathname} is neither an OpenAPI document nor an MCP server.\n` +
      `  As a document: ${document.problem}\n  As an MCP server: ${server.problem}\n` +
      "Give the whole address of one of them; the documentation of the service has it.",
  );
}

/** For a bare host name, tries the usual paths. */
async function nearby(options: InspectOptions): Promise<InspectedSource | undefined> {
  for (const path of ["/mcp", "/openapi.json", "/swagger.json"]) {
    const reference = new URL(path, options.reference).href;
    const there = { ...options, reference };
    if (path === "/mcp") {
      const server = await SOURCE_KINDS.mcp.inspect(there);
      if (!("problem" in server)) return serverOrNode(new URL(reference), server, options);
    } else if ((await findDocument(there)).found === "document")
      return finished(reference, found(await SOURCE_KINDS.openapi.inspect(there)));
  }
  return undefined;
}

async function refuseMissing(reference: string, directory: string): Promise<void> {
  const file = resolve(directory, reference);
  const there = await stat(file).catch(() => undefined);
  if (there?.isFile()) return;
  const looksLikeHost = /^(?![\w.-]*\.(?:ya?ml|json|[cm]?[jt]s)$)[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)/i;
  const advice = looksLikeHost.test(reference)
    ? ` If it is an address, write https://${reference}.`
    : " Check the path, or write an address with https:// before it.";
  throw new ImportError("TRANSPORT", `There is no file ${file}.${advice}`);
}

/** Another node also answers as an MCP server, but as a peer it offers its operations themselves. */
async function serverOrNode(url: URL, mcp: Finding, options: InspectOptions): Promise<InspectedSource> {
  const address = peerAddressOf(url, mcp);
  const peer = address && (await SOURCE_KINDS.peer.inspect({ ...options, reference: address.href }));
  if (!peer || "problem" in peer || peer.locked) return finished(url.href, mcp);
  return finished(address.href, peer);
}

/** Address for the call protocol of an MCP server that looks like a node; undefined for others. */
function peerAddressOf(url: URL, { specs }: Finding): URL | undefined {
  const names = new Set(specs.map(({ name }) => name.slice(name.indexOf("/") + 1)));
  if (!TOOL_NAMES.every((tool) => names.has(tool))) return undefined;
  const address = new URL(url);
  address.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  address.pathname = url.pathname.replace(/\/mcp\/?$|\/?$/, "/call-protocol");
  return address;
}

function found(inspected: Inspected): Finding {
  if ("problem" in inspected) throw new ImportError("DISCOVERY_FAILED", inspected.problem);
  return inspected;
}

function lockedDocument(): Finding {
  const nothing = { title: undefined, warnings: [], specs: [] };
  return { kind: "openapi", ...nothing, wants: ["token"], locked: true, documentLocked: true };
}

async function finished(
  reference: string,
  {
    kind,
    specs,
    documentLocked = false,
    signsIn = false,
    isPartlyOpen = false,
    origins = new Set(),
    ...finding
  }: Finding,
): Promise<InspectedSource> {
  const addresses = /^(?:https?|wss?):/i.test(reference) ? [reference, ...origins] : [...origins];
  const reached = await Promise.all(addresses.map((address) => isPrivateHost(new URL(address).hostname)));
  return {
    ...finding,
    kind: kind as InspectedSource["kind"],
    reference,
    signsIn,
    isPartlyOpen,
    operations: specs.map(({ name, type }) => ({ name, type })),
    tokens: directTokensOf(specs),
    documentLocked,
    isPrivate: reached.includes(true),
  };
}

/** True for a host on this machine or in a private network, by its current DNS records. */
export async function isPrivateHost(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.some(({ address }) => screenAddress(address) !== undefined);
}

/** True if the gateway of this configuration listens at the address itself. */
export function isOwnAddress(address: string | undefined, { server }: Pick<Config, "server">): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  const own = [server.publicUrl, `http://${server.host}:${server.port}`, `http://localhost:${server.port}`];
  return own.some((each) => each !== undefined && URL.canParse(each) && placeOf(each) === placeOf(address));
}

function placeOf(address: string): string {
  const { hostname, port, protocol } = new URL(address.replace(/^ws/i, "http"));
  const host = isLoopback(hostname.replace(/^\[|\]$/g, "")) ? "localhost" : hostname;
  return `${host}:${port || (protocol === "https:" ? 443 : 80)}`;
}
