import type { OpenapiConfig } from "../config.ts";

/**
 * What goes to the address of a source's document. Nothing unless the config says so: the document may lie with someone
 * who has no business with the credentials of the API. What a document says about security cannot be asked yet.
 */
export function documentHeadersOf(
  { documentAuth, headers }: Pick<OpenapiConfig, "documentAuth" | "headers">,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (documentAuth === false) return {};
  const { token, username, password = "", apiKey } = secrets;
  const lowered = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (typeof documentAuth === "string") {
    return apiKey === undefined ? lowered : { ...lowered, [documentAuth.toLowerCase()]: apiKey };
  }
  if (token !== undefined) return { ...lowered, authorization: `Bearer ${token}` };
  if (username === undefined) return lowered;
  const pair = Buffer.from(`${username}:${password}`).toString("base64");
  return { ...lowered, authorization: `Basic ${pair}` };
}
