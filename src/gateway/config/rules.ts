import { BlockList, isIP } from "node:net";
import { checkIdentities } from "../../identity/index.ts";
import type { Config } from "./schema.ts";

/** The source that the search services are registered under. */
const OWN_SOURCE = "services";

/** A rule that a configuration breaks although each of its values fits the schema. */
export interface BrokenRule {
  readonly keys: readonly string[];
  readonly message: string;
}

/** The rules that a schema cannot say. */
export function checkRules(config: Config): readonly BrokenRule[] {
  return [
    ...takenNames(config),
    ...unclearSources(config),
    ...unusableIdentities(config),
    ...openToAll(config),
  ];
}

function takenNames({ sources }: Config): readonly BrokenRule[] {
  const message = "the gateway's own operations have this name. Choose another one.";
  return Object.hasOwn(sources, OWN_SOURCE) ? [{ keys: ["sources", OWN_SOURCE], message }] : [];
}

/** What kinds of source there are: exactly one of these keys makes a source. */
const SOURCE_KINDS = ["mcp", "openapi", "plugin"] as const;

function unclearSources({ sources }: Config): readonly BrokenRule[] {
  return Object.entries(sources)
    .filter(([, source]) => SOURCE_KINDS.filter((kind) => source[kind] !== undefined).length !== 1)
    .map(([name]) => ({
      keys: ["sources", name],
      message: `a source has exactly one of ${SOURCE_KINDS.join(", ")}, which says where it comes from.`,
    }));
}

function unusableIdentities({ identities }: Config): readonly BrokenRule[] {
  return checkIdentities(identities).map(({ index, key, message }) => ({
    keys: ["identities", String(index), key],
    message,
  }));
}

function openToAll({ identities, server: { host } }: Config): readonly BrokenRule[] {
  if (isLoopback(host) || identities.length > 0) return [];
  const message =
    `others may reach ${JSON.stringify(host)}, and without identities any of them could call. ` +
    "Run `pinhole token` to make an identity, or listen on 127.0.0.1.";
  return [{ keys: ["server", "host"], message }];
}

/** True for an address that only this machine can reach. A name other than localhost may lead anywhere. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  return loopback.check(host, family === 4 ? "ipv4" : "ipv6");
}
