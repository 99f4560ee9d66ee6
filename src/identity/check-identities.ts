import { ANONYMOUS, type Identity } from "../core/index.ts";
import { TOKEN_HASH_PATTERN } from "./token.ts";

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
export interface IdentityProblem {
  readonly index: number;
  readonly key: "id" | "tokenHash";
  readonly message: string;
}

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
