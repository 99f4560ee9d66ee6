/** The subprotocol that both sides of a WebSocket speak. */
export const CALL_PROTOCOL = "pinhole.call.v1";

const TOKEN_PREFIX = "pinhole.token.";

/** Subprotocols of a client: the protocol, and its token if it cannot set headers. */
export function toSubprotocols(token?: string): readonly string[] {
  return token === undefined ? [CALL_PROTOCOL] : [CALL_PROTOCOL, `${TOKEN_PREFIX}${toBase64Url(token)}`];
}

/** The token among offered subprotocols; empty, and so invalid, if it cannot be decoded. */
export function tokenIn(offered: readonly string[]): string | undefined {
  const found = offered.find((name) => name.startsWith(TOKEN_PREFIX));
  return found === undefined ? undefined : fromBase64Url(found.slice(TOKEN_PREFIX.length));
}

function toBase64Url(text: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): string {
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(bytes, (unit) => unit.charCodeAt(0)));
  } catch {
    return "";
  }
}
