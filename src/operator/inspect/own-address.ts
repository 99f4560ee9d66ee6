import { type Config, isLoopback } from "../../config/index.ts";

/** Whether an address is one at which the gateway of this configuration listens itself. */
export function isOwnAddress(address: string | undefined, { server }: Pick<Config, "server">): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  const own = [server.publicUrl, `http://${server.host}:${server.port}`, `http://localhost:${server.port}`];
  return own.some((each) => each !== undefined && URL.canParse(each) && placeOf(each) === placeOf(address));
}

function placeOf(address: string): string {
  const { hostname, port, protocol } = new URL(address.replace(/^ws/i, "http"));
  const host = isLoopback(hostname.replace(/^\[|\]$/g, "")) ? "localhost" : hostname;
  return `${host}:${port || (protocol === "https:" ? 443 : 80)}`;
}
