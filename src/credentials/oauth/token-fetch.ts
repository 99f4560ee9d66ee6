import type { FetchLike } from "@modelcontextprotocol/client";
import type { Outbound } from "../../outbound/index.ts";
import { parseTokens, sendTokenRequest } from "../index.ts";

/** A fetch for token requests of the SDK, which insists on `token_type`; some servers leave it out. */
export function tokenFetch(what: string, outbound: Pick<Outbound, "send">): FetchLike {
  return async (url, init) => {
    const request = { url, headers: new Headers(init?.headers), body: String(init?.body) };
    const { status, headers, text } = await sendTokenRequest(request, { what, outbound });
    const tokens = parseTokens(text);
    const nonce = headers.get("dpop-nonce");
    return new Response(tokens ? JSON.stringify({ token_type: "Bearer", ...tokens }) : text || null, {
      status,
      ...(nonce !== null && { headers: { "dpop-nonce": nonce } }),
    });
  };
}
