/** One part of a multipart body. */
export interface Part {
  readonly name: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly type?: string | undefined;
  /** Makes the part a file; services take what has a name for an upload, and what has none for a field. */
  readonly fileName?: string;
}

/** A multipart body and its type (RFC 7578). A FormData would give every part that has a type the name of a file. */
export function toMultipart(parts: readonly Part[]): {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly type: string;
} {
  const boundary = `pinhole-${crypto.randomUUID()}`;
  const chunks = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n`),
    Buffer.from(part.content),
    Buffer.from("\r\n"),
  ]);
  const content = new Uint8Array(Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]));
  return { content, type: `multipart/form-data; boundary=${boundary}` };
}

function headOf({ name, fileName, type }: Part): string {
  const file = fileName === undefined ? "" : `; filename="${escaped(fileName)}"`;
  const kind = type === undefined ? "" : `content-type: ${type.replaceAll(/[^\x20-\x7e]/g, "")}\r\n`;
  return `content-disposition: form-data; name="${escaped(name)}"${file}\r\n${kind}`;
}

/** What would end a name, or the line that it stands in; as browsers do it. */
function escaped(name: string): string {
  return name.replaceAll(/["\r\n]/g, encodeURIComponent);
}
