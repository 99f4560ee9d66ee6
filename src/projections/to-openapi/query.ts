import type { UnknownRecord } from "../../core/index.ts";

const INTEGER = /^-?\d{1,15}$/;

/**
 * The arguments in a query string: a repeated parameter is a list, and `limit` is a
 * number. The check against the contract refuses what does not fit.
 *
 *     readQuery("search", new URLSearchParams("query=send mail&limit=5")) // {query: "send mail", limit: 5}
 *     readQuery("schema", new URLSearchParams("name=a/b&name=c/d")) // {names: ["a/b", "c/d"]}
 */
export function readQuery(action: "search" | "schema", parameters: URLSearchParams): UnknownRecord {
  const lists = [...new Set(parameters.keys())].map((key) => [key, parameters.getAll(key)] as const);
  const { name = [], names = [], ...rest } = Object.fromEntries(lists);
  if (action === "schema") {
    const wanted = [...name, ...names];
    return { ...mapValues(rest, plain), ...(wanted.length > 0 && { names: wanted }) };
  }
  return mapValues(Object.fromEntries(lists), (values, key) =>
    key === "limit" ? numberIf(plain(values)) : plain(values),
  );
}

function plain(values: readonly string[]): unknown {
  return values.length === 1 ? values[0] : values;
}

function numberIf(value: unknown): unknown {
  return typeof value === "string" && INTEGER.test(value) ? Number(value) : value;
}

function mapValues(
  record: Readonly<Record<string, readonly string[]>>,
  change: (values: readonly string[], key: string) => unknown,
): UnknownRecord {
  return Object.fromEntries(Object.entries(record).map(([key, values]) => [key, change(values, key)]));
}
