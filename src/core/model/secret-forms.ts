/** Shorter secrets are not redacted: they are words that answers are full of. */
export const MIN_SECRET_LENGTH = 8;

/** Characters that no text encoding changes. */
const PLAIN = /^[A-Za-z0-9._-]+$/;

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The secret as it is, and as it looks where it was encoded on its way; most tokens have few forms that differ. */
export function formsOfSecret(secret: string): readonly string[] {
  if (secret.length < MIN_SECRET_LENGTH) return [];
  const forms = PLAIN.test(secret) ? [secret] : textForms(secret);
  return [...new Set([...forms, ...base64Forms(secret)])];
}

function textForms(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const percent = percentEncoded(secret);
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  return [
    secret,
    escaped,
    // JSON within the text of other JSON.
    JSON.stringify(escaped).slice(1, -1),
    escaped.replaceAll("/", "\\/"),
    escaped.replaceAll(/[^ -~]/g, unicodeEscape),
    escaped.replaceAll(/[<>&'=+]/g, unicodeEscape),
    percent,
    form,
    ...[percent, form].map((each) => each.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    secret.replaceAll(/[&<>"']/g, (character) => HTML[character] ?? character),
    // As the name of an operation that a source made of it.
    secret.replaceAll(/[^A-Za-z0-9_./-]/g, "_"),
  ];
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Half of a surrogate pair has no percent-encoding. */
function percentEncoded(secret: string): string {
  return encodeURIComponent(secret.toWellFormed());
}

/**
 * The characters of base64 that the secret alone decides, wherever in the encoded bytes it begins: three alignments, in both
 * alphabets, and so with and without padding.
 */
function base64Forms(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return [0, 1, 2].flatMap((offset) => {
    const encoded = btoa("\0".repeat(offset) + text);
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    const standard = encoded.slice(first, last);
    return [standard, standard.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
