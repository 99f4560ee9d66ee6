import type { TestContext } from "node:test";
import { CallError, connectPeer, type Peer } from "pinhole/client";

/** A client of a node by the call protocol; closed when the test ends. */
export async function openPeer(t: TestContext, url: string, token?: string): Promise<Peer> {
  const peer = await connectPeer(url, token === undefined ? {} : { token });
  t.after(() => peer.close());
  return peer;
}

/** How a call ended: its code, or ok. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (error: unknown) => (error instanceof CallError ? error.code : `not a CallError: ${error}`),
  );
}
