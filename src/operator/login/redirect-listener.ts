import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AuthorizationFailure } from "../../credentials/oauth/index.ts";

const PATH = "/callback";
const PAGES = {
  done: "You are logged in. This window can be closed.",
  failed: "The login did not work. The terminal says why.",
  foreign: "This address does not belong to the login that is under way.",
} as const;

/** A listener on this machine that a browser is redirected to. Close it. */
interface RedirectListener {
  readonly redirectUrl: string;
  /** Parameters of the redirect, once the browser returns with the right state. */
  readonly arrived: Promise<URLSearchParams>;
  /** Shows the outcome in the browser and stops listening. */
  close(isDone: boolean): Promise<void>;
}

/** Listens on loopback until it is closed (RFC 8252, section 7.3); 0 takes a free port. */
export async function listenForRedirect(port: number, state: string): Promise<RedirectListener> {
  let arrive: (parameters: URLSearchParams) => void = () => {};
  const arrived = new Promise<URLSearchParams>((resolve) => {
    arrive = resolve;
  });
  let end: (isDone: boolean) => void = () => {};
  const ended = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  const answering = new Set<Promise<unknown>>();
  const server = createServer((request, response) => {
    answering.add(new Promise((resolve) => response.once("close", resolve)));
    void answer(request, response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw new AuthorizationFailure(
      `The browser cannot be redirected to port ${port} of this machine (${error.code}). Free it, or set another redirectPort.`,
      true,
    );
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? "", `http://${host}`);
    // Another host name may point to this machine, and any page can send a browser here: only a request with the
    // state is the answer.
    const isOurs = request.method === "GET" && url?.pathname === PATH && request.headers.host === host;
    const isAnswer = isOurs && url.searchParams.get("state") === state;
    if (isAnswer) arrive(url.searchParams);
    const page = !isAnswer ? "foreign" : (await ended) ? "done" : "failed";
    response.writeHead(page === "done" ? 200 : 400, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(`${PAGES[page]}\n`);
  }

  return {
    redirectUrl: `http://${host}${PATH}`,
    arrived,
    async close(isDone) {
      end(isDone);
      const closed = once(server, "close");
      server.close();
      await Promise.all(answering);
      // Browsers open connections in advance, for requests that never come.
      server.closeAllConnections();
      await closed;
    },
  };
}
