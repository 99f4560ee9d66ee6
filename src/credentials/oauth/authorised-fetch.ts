import { extractWWWAuthenticateParams, type FetchLike, withDpop } from "@modelcontextprotocol/client";
import type { Outbound } from "../../outbound/index.ts";
import {
  type Challenge,
  type HeldToken,
  LoginChanged,
  type OauthCredential,
  plainScopes,
  scopesIn,
} from "./credential.ts";

/**
 * A fetch for one session that sends the current token, and once a new one if the server refuses it. All its requests
 * belong to one login: after another login the session is lost.
 */
export function authorisedFetch(
  outbound: Pick<Outbound, "fetch">,
  credential: OauthCredential,
  server: URL,
): Pick<Outbound, "fetch"> {
  let login: string | undefined;

  function take(held: HeldToken | undefined): HeldToken | undefined {
    if (held && login !== undefined && held.login !== login)
      throw new LoginChanged("there is a new login, so a new session begins");
    login ??= held?.login;
    return held;
  }

  return {
    async fetch(url, init = {}) {
      const send = (held: HeldToken | undefined) => {
        const headers = new Headers(init.headers);
        // Only to the server itself, not to where a redirect may lead.
        if (!held || new URL(url).origin !== server.origin) return outbound.fetch(url, { ...init, headers });
        headers.set("authorization", `Bearer ${held.token}`);
        const fetch = held.dpop
          ? withDpop(held.dpop, () => held.token)(outbound.fetch as FetchLike)
          : outbound.fetch;
        return fetch(url, { ...init, headers });
      };
      const { signal } = init;
      const held = take(await withSignal(credential.token(), signal));
      const first = await send(held);
      const challenge = challengeOf(first);
      if (!challenge) return first;
      await first.body?.cancel();
      // Callers compete for the nonces of some servers; the token is good.
      const isAboutNonce = challenge.dpop === "nonce" && held?.dpop !== undefined;
      const renewed = isAboutNonce ? held : take(await withSignal(credential.renew(held, challenge), signal));
      const second = await send(renewed);
      const again = challengeOf(second);
      if (!again) return second;
      await second.body?.cancel();
      throw credential.giveUp(again);
    },
  };
}

const DPOP_ERRORS: ReadonlyMap<string | undefined, "refused" | "nonce"> = new Map([
  ["invalid_dpop_proof", "refused"],
  ["use_dpop_nonce", "nonce"],
]);

/** The challenge in a response, if it is about the token. */
function challengeOf(response: Response): Challenge | undefined {
  const { status } = response;
  if (status !== 401 && status !== 403) return undefined;
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
  const lacksScopes = error === "insufficient_scope";
  if (status === 403 && !lacksScopes) return undefined;
  const isDpop = /^dpop\b/i.test(response.headers.get("www-authenticate") ?? "");
  return {
    resourceMetadataUrl,
    scopes: plainScopes(scopesIn(scope)),
    lacksScopes,
    ...(isDpop && { dpop: DPOP_ERRORS.get(error) ?? "wanted" }),
  };
}

/** Waits for shared work; an abort ends the waiting and not the work. Throws the signal's reason. */
export async function withSignal<Value>(
  work: Promise<Value>,
  signal: AbortSignal | null | undefined,
): Promise<Value> {
  if (!signal) return work;
  work.catch(() => {});
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
