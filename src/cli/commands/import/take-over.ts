import type { ClientServer } from "../../client-servers.ts";
import { envNameFor } from "../../env-name.ts";

/** Headers that a client sends by itself. */
const HARMLESS = new Set(["accept", "content-type", "user-agent"]);
const SECRET_NAME = /key|token|secret|passw|auth|sig|credential/i;

/** A server as a source, or the reason why it cannot be one. */
export type TakenOver =
  | {
      readonly url: URL;
      /** The header of a credential that is not a bearer token. */
      readonly header?: string;
      readonly variable?: { readonly name: string; readonly hadSecret: boolean };
    }
  | { readonly problem: string };

/** Turns the address and headers of a client's server into those of a source, and every secret into a reference. */
export function takeOver({
  name,
  url: written,
  headers,
}: ClientServer & { readonly kind: "http" }): TakenOver {
  if (!URL.canParse(written) || !/^https?:/i.test(written))
    return { problem: "its address cannot be read without the client." };
  const url = new URL(written);
  const hidden = [...url.searchParams.keys()].find((key) => SECRET_NAME.test(key));
  if (url.username !== "" || url.password !== "" || hidden !== undefined || written.includes("${")) {
    return {
      problem:
        "its address contains a secret or a value that only the client fills in, and secrets never go into the configuration. " +
        `See whether it takes a bearer token instead, then: pinhole add ${name} ${url.origin}${url.pathname}`,
    };
  }
  const wanted = Object.entries(headers).filter(([key]) => !HARMLESS.has(key.toLowerCase()));
  const [first, ...others] = wanted;
  if (first === undefined) return { url };
  if (others.length > 0) {
    const names = wanted.map(([key]) => key).join(", ");
    return {
      problem: `it wants the headers ${names}, and a source has one credential. See whether one will do.`,
    };
  }
  const [header, value] = first;
  if (!/^[\w.-]+$/.test(header)) return { problem: `${JSON.stringify(header)} is not the name of a header.` };
  const token = /^authorization$/i.test(header) ? /^Bearer\s+(.+)$/is.exec(value.trim())?.[1] : undefined;
  if (token !== undefined) return { url, variable: variableOf(token, name) };
  return { url, header, variable: variableOf(value.trim(), name) };
}

/** The variable that the client takes the token from, or the one that will have to hold it. */
function variableOf(token: string, name: string): { readonly name: string; readonly hadSecret: boolean } {
  const reference = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}$/.exec(token);
  if (reference?.[1] !== undefined) return { name: reference[1], hadSecret: false };
  return { name: envNameFor(name, "token"), hadSecret: !token.startsWith("${") };
}
