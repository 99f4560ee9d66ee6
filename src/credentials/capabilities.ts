import { CallError, Capabilities, type CapabilityProvider, type Identity } from "../core/index.ts";
import { redactedOf, type Secrets, type SourceSecrets } from "./source-secrets.ts";

/**
 * What the calls of a source run with: the credential of the principal, whoever composed the call. One who has none gets
 * an error before anything is sent, and never somebody else's.
 */
export function capabilitiesOf(source: string, secrets: SourceSecrets): CapabilityProvider | undefined {
  const { forAll, perIdentity, otherwise } = secrets;
  if (!perIdentity) {
    if (Object.keys(forAll).length === 0) return undefined;
    const shared = toCapabilities(forAll);
    return () => shared;
  }
  const own = new Map([...perIdentity].map(([id, of]) => [id, toCapabilities(of)]));
  const rest = otherwise && toCapabilities(otherwise);
  return (principal) => own.get(principal.id) ?? rest ?? refuse(source, principal);
}

function toCapabilities(secrets: Secrets): Capabilities {
  return new Capabilities(secrets, redactedOf(secrets));
}

function refuse(source: string, { id, authenticated }: Identity): never {
  const who = authenticated ? JSON.stringify(id) : "a caller without a token";
  const advice = authenticated
    ? `The operator of this gateway can add one under sources.${source}.credentials.perIdentity, or a default.`
    : "Call with a token of an identity that has one.";
  throw new CallError(
    "UNAUTHORIZED_UPSTREAM",
    `${source} has no credential for ${who}, so nothing was sent. ${advice}`,
  );
}
