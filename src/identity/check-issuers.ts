import { isIP } from "node:net";
import type { TokenIdentity } from "./check-identities.ts";
import { type Issuer, nameOfIssuer } from "./issuer.ts";

/** An issuer as far as its checks need it. */
export interface CheckedIssuer extends Pick<Issuer, "issuer" | "name" | "jwksUri"> {
  /** Allows an issuer on this machine or in a private network. */
  readonly allowPrivate: boolean;
}

/** A problem with one issuer of a list. */
export interface IssuerProblem {
  readonly index: number;
  readonly key: "issuer" | "name" | "jwksUri";
  readonly message: string;
}

/** All problems of a list of issuers, given the identities with static tokens. */
export function checkIssuers(
  issuers: readonly CheckedIssuer[],
  identities: readonly Pick<TokenIdentity, "id">[],
): readonly IssuerProblem[] {
  return issuers.flatMap((issuer, index) => {
    const address =
      problemOfAddress(issuer.issuer, issuer.allowPrivate) ?? problemOfIdentifier(issuer.issuer);
    if (address !== undefined) return [{ index, key: "issuer" as const, message: address }];
    const keys = issuer.jwksUri && problemOfAddress(issuer.jwksUri, issuer.allowPrivate);
    return [
      ...(keys ? [{ index, key: "jwksUri" as const, message: keys }] : []),
      ...problemsBeside(issuer, issuers.slice(0, index), identities).map((problem) => ({
        index,
        ...problem,
      })),
    ];
  });
}

/** Plain HTTP lets an attacker forge keys, so it is allowed on this machine only. */
function problemOfAddress(address: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    return "this is not a URL. Write it as https://login.example.com.";
  if (url.username !== "" || url.password !== "") return "an address with a name or password is not taken.";
  if (url.protocol === "https:") return undefined;
  if (!isThisMachine(url.hostname)) return "an issuer is called over https:// only.";
  return allowPrivate ? undefined : "an issuer on this machine needs allowPrivate: true.";
}

/** RFC 8414, section 2. */
function problemOfIdentifier(issuer: string): string | undefined {
  return /[?#]/.test(issuer) ? "an issuer has no query and no fragment." : undefined;
}

function isThisMachine(hostname: string): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}

function problemsBeside(
  issuer: CheckedIssuer,
  before: readonly CheckedIssuer[],
  identities: readonly Pick<TokenIdentity, "id">[],
): readonly Omit<IssuerProblem, "index">[] {
  const name = nameOfIssuer(issuer);
  if (before.some((other) => other.issuer === issuer.issuer)) {
    return [{ key: "issuer", message: "this issuer is listed twice. One entry may have several audiences." }];
  }
  if (name === "operation") {
    return [{ key: "name", message: "the gateway itself gives out ids that begin so. Choose another name." }];
  }
  if (before.some((other) => isUsable(other) && nameOfIssuer(other) === name)) {
    return [{ key: "name", message: `another issuer is called ${name} too. Give each a name of its own.` }];
  }
  const taken = identities.find(({ id }) => id.startsWith(`${name}:`));
  if (!taken) return [];
  const message = `the identity ${JSON.stringify(taken.id)} could be taken for one of this issuer's. Rename one of them.`;
  return [{ key: "name", message }];
}

function isUsable({ issuer }: CheckedIssuer): boolean {
  return URL.canParse(issuer);
}
