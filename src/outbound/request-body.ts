/** What can be sent: what fetch can send. */
export type BodyLike = NonNullable<RequestInit["body"]>;

/** A body on its way out, and what it is if nobody else says. */
export interface RequestBody {
  readonly content: string | Uint8Array | ReadableStream<Uint8Array>;
  readonly type?: string | undefined;
}

/** Makes a body ready to be sent. All but a stream can be sent again. */
export async function toRequestBody(body: BodyLike | null | undefined): Promise<RequestBody | undefined> {
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string") return { content: body, type: "text/plain;charset=UTF-8" };
  if (body instanceof Uint8Array || body instanceof ReadableStream) return { content: body };
  if (body instanceof ArrayBuffer) return { content: new Uint8Array(body) };
  if (ArrayBuffer.isView(body)) {
    return { content: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) };
  }
  if (body instanceof URLSearchParams || body instanceof FormData || body instanceof Blob) {
    // The platform knows how to write them and what to call them.
    const written = new Response(body);
    const type = written.headers.get("content-type") ?? undefined;
    return { content: new Uint8Array(await written.arrayBuffer()), type };
  }
  return { content: ReadableStream.from(body) };
}
