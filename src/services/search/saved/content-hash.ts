import { createHash } from "node:crypto";
import type { FieldTexts } from "../text/index.ts";

/** Tells the texts of one document from those of any other. */
export function contentHash(texts: FieldTexts): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("base64url").slice(0, 16);
}
