import type { Outbound } from "../../outbound/index.ts";

/** A header that carries a credential as it is. */
export interface CredentialHeader {
  readonly name: string;
  readonly value: string;
}

/** A fetch that presents a credential in a header of its own to one server, and to no other that a redirect may lead to. */
export function headerFetch(
  outbound: Pick<Outbound, "fetch">,
  { name, value }: CredentialHeader,
  server: URL,
): Pick<Outbound, "fetch"> {
  return {
    fetch(url, init = {}) {
      if (new URL(url).origin !== server.origin) return outbound.fetch(url, init);
      const headers = new Headers(init.headers);
      headers.set(name, value);
      return outbound.fetch(url, { ...init, headers });
    },
  };
}
