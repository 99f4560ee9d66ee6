/** Kind of content of a media type. */
export type MediaKind = "json" | "form" | "multipart" | "events" | "text" | "binary";

const KINDS: ReadonlyMap<string, MediaKind> = new Map(
  Object.entries<MediaKind>({
    "application/x-www-form-urlencoded": "form",
    "multipart/form-data": "multipart",
    "text/event-stream": "events",
    "application/xml": "text",
    "application/yaml": "text",
    "application/x-yaml": "text",
    "application/javascript": "text",
    "application/graphql": "text",
    "application/jsonl": "text",
    "application/ndjson": "text",
    "application/x-jsonlines": "text",
    "application/x-ndjson": "text",
    "*/*": "json",
    "application/*": "json",
  }),
);

/** The type without its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  const [essence = ""] = mediaType.split(";", 1);
  return essence.trim().toLowerCase();
}

/** Decides how content of a media type is read or written. */
export function mediaKindOf(mediaType: string): MediaKind {
  const essence = essenceOf(mediaType);
  const known = KINDS.get(essence);
  if (known) return known;
  if (essence.endsWith("/json") || essence.endsWith("+json") || essence.endsWith("/x-json")) return "json";
  if (essence.startsWith("text/") || essence.endsWith("+xml") || essence.endsWith("/xml")) return "text";
  return "binary";
}

/** True for a media type that is certainly binary. */
export function isBytes(mediaType: unknown): boolean {
  return (
    typeof mediaType === "string" &&
    mediaKindOf(mediaType) === "binary" &&
    /^(?:(?:image|audio|video|font)\/|application\/(?:octet-stream|pdf|zip|gzip)$)/.test(essenceOf(mediaType))
  );
}
