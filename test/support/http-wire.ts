/** How a request to the plain HTTP side is sent. */
export interface HttpOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** What answers instead of the network. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
}

/** One event of a stream as it came. */
export interface WireEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Sends a body as JSON. */
export async function postJson(
  url: URL | string,
  body: unknown,
  { fetch: send = fetch, signal, ...options }: HttpOptions = {},
): Promise<Response> {
  const headers = { "content-type": "application/json", ...headersOf(options) };
  const init = { method: "POST", headers, body: JSON.stringify(body), ...(signal && { signal }) };
  return send(new Request(url, init));
}

/** Asks with GET. */
export async function getJson(
  url: URL | string,
  { fetch: send = fetch, signal, ...options }: HttpOptions = {},
): Promise<Response> {
  return send(new Request(url, { headers: headersOf(options), ...(signal && { signal }) }));
}

/** The events of a stream, one by one; comments say nothing. */
export async function* eventsOf(response: Response): AsyncGenerator<WireEvent, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      const event = /^event: (.*)$/m.exec(block)?.[1] ?? "message";
      if (data !== undefined) yield { event, data: event === "end" ? data : JSON.parse(data) };
    }
  }
  return undefined;
}

function headersOf({ token, headers }: HttpOptions): Record<string, string> {
  return { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers };
}
