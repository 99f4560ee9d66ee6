import { lookup } from "node:dns/promises";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { MAX_DOCUMENT_BYTES } from "../../adapters/from-openapi/index.ts";
import { PluginModules } from "../../adapters/from-plugin/index.ts";
import { ImportError } from "../../core/index.ts";
import { directTokensOf } from "../../gateway/facets/index.ts";
import { createOutbound, type Outbound, screenAddress } from "../../outbound/index.ts";
import { inspectDocument, probeDocument } from "./inspect-document.ts";
import { inspectMcp } from "./inspect-mcp.ts";
import { inspectPeer, peerAddressOf } from "./inspect-peer.ts";
import { type Finding, type InspectedSource, type InspectOptions, SILENCE_MS } from "./inspected-source.ts";

/** Finds out what kind of source stands behind an address or a file; throws an ImportError that says what was tried. */
export async function inspectSource(options: InspectOptions): Promise<InspectedSource> {
  const { reference } = options;
  const isAddress = /^(?:https?|wss?):\/\//i.test(reference);
  if (!isAddress) return finished(reference, await inspectFile(options));
  if (!URL.canParse(reference)) throw new ImportError("TRANSPORT", `${reference} is no address.`);
  if (/^ws/i.test(reference)) return finished(reference, await inspectNode(options));
  // Who types an address at a terminal may well mean one of their own network.
  const outbound = createOutbound({ allowPrivate: true, tries: 1, maxResponseBytes: MAX_DOCUMENT_BYTES });
  try {
    return await inspectAddress(options, outbound);
  } finally {
    await outbound.close();
  }
}

async function inspectAddress(options: InspectOptions, outbound: Outbound): Promise<InspectedSource> {
  const { reference } = options;
  const url = new URL(reference);
  const probe = await probeDocument(url, { ...options, outbound });
  if (probe.found === "document") return finished(reference, await inspectDocument({ ...options, outbound }));
  if (probe.found === "unreachable") throw new ImportError("TRANSPORT", probe.problem);
  // Behind the same lock both kinds look alike; servers do not end like files.
  if (probe.found === "locked" && /\.(?:json|ya?ml)$/i.test(url.pathname))
    return finished(reference, lockedDocument());
  const isSilent = probe.found === "silent";
  const { patienceMs = SILENCE_MS } = options;
  const mcp = await inspectMcp(url, { ...options, outbound, patienceMs: isSilent ? patienceMs : undefined });
  const { signsIn = false } = probe;
  if (!("problem" in mcp)) return serverOrNode(url, { ...mcp, signsIn }, options);
  if (isSilent)
    throw new ImportError(
      "TRANSPORT",
      `${url.origin}${url.pathname} did not answer within ${Math.ceil((2 * patienceMs) / 1_000)} s. The address may well be right: ` +
        "see that the service runs and can be reached from here, then add it again.",
    );
  if (probe.found === "locked") return finished(reference, lockedDocument());
  const elsewhere = url.pathname === "/" ? await nearby(options, outbound) : undefined;
  if (elsewhere) return elsewhere;
  throw new ImportError(
    "DISCOVERY_FAILED",
    `${url.origin}${url.pathname} is neither an OpenAPI document nor an MCP server.\n` +
      `  As a document: ${probe.problem}\n  As an MCP server: ${mcp.problem}\n` +
      "Give the whole address of one of them; the documentation of the service has it.",
  );
}

/** Who types only the name of a host may mean one of the usual places. */
async function nearby(options: InspectOptions, outbound: Outbound): Promise<InspectedSource | undefined> {
  for (const path of ["/mcp", "/openapi.json", "/swagger.json"]) {
    const reference = new URL(path, options.reference).href;
    const there = { ...options, reference, outbound };
    if (path === "/mcp") {
      const found = await inspectMcp(new URL(reference), there);
      if (!("problem" in found)) return serverOrNode(new URL(reference), found, options);
    } else if ((await probeDocument(new URL(reference), there)).found === "document")
      return finished(reference, await inspectDocument(there));
  }
  return undefined;
}

async function inspectFile(options: InspectOptions): Promise<Finding> {
  const { reference, directory } = options;
  const file = resolve(directory, reference);
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) {
    const looksLikeHost = /^(?![\w.-]*\.(?:ya?ml|json|[cm]?[jt]s)$)[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)/i;
    const advice = looksLikeHost.test(reference)
      ? ` If it is an address, write https://${reference}.`
      : " Check the path, or write an address with https:// before it.";
    throw new ImportError("TRANSPORT", `There is no file ${file}.${advice}`);
  }
  if (!/\.[cm]?[jt]s$/i.test(file)) {
    const outbound = createOutbound({ allowPrivate: true });
    return inspectDocument({ ...options, outbound }).finally(() => outbound.close());
  }
  const { source, registrations } = await new PluginModules().load(file);
  const specs = registrations.map(({ spec }) => spec);
  return { kind: "plugin", title: source.title, warnings: [], wants: [], locked: false, specs };
}

/** Nodes that name each other are started one after the other, so one that does not answer yet may be right. */
async function inspectNode(options: InspectOptions): Promise<Finding> {
  const found = await inspectPeer(new URL(options.reference), options);
  if (!("problem" in found)) return found;
  const nothing = { title: undefined, wants: [], locked: false, specs: [] };
  return { kind: "peer", ...nothing, warnings: [found.problem] };
}

/** Another node also answers as an MCP server, but as a peer it brings in its operations themselves. */
async function serverOrNode(url: URL, mcp: Finding, options: InspectOptions): Promise<InspectedSource> {
  const address = peerAddressOf(url, mcp);
  const found = address && (await inspectPeer(address, options));
  if (!found || "problem" in found || found.locked) return finished(url.href, mcp);
  return finished(address.href, found);
}

function lockedDocument(): Finding {
  const nothing = { title: undefined, warnings: [], specs: [] };
  return { kind: "openapi", ...nothing, wants: ["token"], locked: true, documentLocked: true };
}

async function finished(
  reference: string,
  {
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
    reference,
    signsIn,
    isPartlyOpen,
    operations: specs.map(({ name, type }) => ({ name, type })),
    tokens: directTokensOf(specs),
    documentLocked,
    isPrivate: reached.includes(true),
  };
}

/** Whether a host lies on this machine or in a private network, by what its name leads to now. */
export async function isPrivateHost(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.some(({ address }) => screenAddress(address) !== undefined);
}
