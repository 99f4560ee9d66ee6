import { isIP } from "node:net";
import { ANONYMOUS, type Identity } from "../core/index.ts";
import { type Issuer, nameOfIssuer } from "./issuer.ts";

/** An identity with a static token; only the hash of the token is kept. */
export interface TokenIdentity {
  readonly id: string;
  readonly tokenHash: string;
  readonly scopes: readonly string[];
  readonly resources?: NonNullable<Identity["resources"]>;
  readonly limits?: NonNullable<Identity["limits"]>;
  readonly mutations?: NonNullable<Identity["mutations"]>;
}

/** A problem with one identity of a list; never quotes a hash, which may be a token by mistake. */
interface IdentityProblem {
  readonly index: number;
  readonly key: "id" | "tokenHash";
  readonly message: string;
}

/** The algorithm of a token hash, before its digits. */
export const TOKEN_HASH_PREFIX = "sha256:";

/** Regular expression of a token hash. */
export const TOKEN_HASH_PATTERN = `^${TOKEN_HASH_PREFIX}[0-9a-fA-F]{64}$`;
const TOKEN_HASH = new RegExp(TOKEN_HASH_PATTERN);

/** All problems of a list of identities; empty if it is valid. */
export function checkIdentities(identities: readonly TokenIdentity[]): readonly IdentityProblem[] {
  const sameId = rememberFirst();
  const sameHash = rememberFirst();
  return identities.flatMap(({ id, tokenHash }, index) => [
    ...problem(index, "id", reservedId(id) ?? repeated(sameId(id, index), `the id ${JSON.stringify(id)}`)),
    ...problem(
      index,
      "tokenHash",
      malformedHash(tokenHash) ?? repeated(sameHash(tokenHash.toLowerCase(), index), "this tokenHash"),
    ),
  ]);
}

function problem(
  index: number,
  key: IdentityProblem["key"],
  message: string | undefined,
): readonly IdentityProblem[] {
  return message === undefined ? [] : [{ index, key, message }];
}

/** An identity owns the data under its id, so it must not be confused with another. */
function reservedId(id: string): string | undefined {
  if (id === "") return "An identity needs an id.";
  if (id === ANONYMOUS.id || id.startsWith("operation:")) {
    return `The id ${JSON.stringify(id)} is taken by the gateway itself. Choose another one.`;
  }
  return undefined;
}

function malformedHash(tokenHash: string): string | undefined {
  if (TOKEN_HASH.test(tokenHash)) return undefined;
  return (
    "A tokenHash is sha256: and 64 hexadecimal digits, never the token itself. " +
    "Run `pinhole token` to make a token and its hash."
  );
}

function repeated(first: number | undefined, what: string): string | undefined {
  if (first === undefined) return undefined;
  return `Identity ${first + 1} of the list has ${what} too. Give each its own; \`pinhole token\` makes a new one.`;
}

/** Returns the index at which a value was seen before, if it was. */
function rememberFirst(): (value: string, index: number) => number | undefined {
  const seen = new Map<string, number>();
  return (value, index) => {
    const first = seen.get(value);
    if (first === undefined) seen.set(value, index);
    return first;
  };
}

/** An issuer as far as its checks need it. */
interface CheckedIssuer extends Pick<Issuer, "issuer" | "name" | "jwksUri"> {
  /** Allows an issuer on this machine or in a private network. */
  readonly allowPrivate: boolean;
}

/** A problem with one issuer of a list. */
interface IssuerProblem {
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
