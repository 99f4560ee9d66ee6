import fc from "fast-check";
import type { UnknownRecord } from "pinhole/core";

const LETTERS = [..."abcdefgh xyzé%&/?"];
const SAMPLES = 60;
/** Writes a number in the way that a format wants it. */
const FORMATS: Readonly<Record<string, (n: number) => string>> = {
  "date-time": (n) => new Date(Date.UTC(2026, 0, 1) + n * 61_000).toISOString(),
  date: (n) => new Date(Date.UTC(2026, 0, 1) + n * 86_400_000).toISOString().slice(0, 10),
  time: (n) => `03:${two(n / 60)}:${two(n)}Z`,
  email: (n) => `ada${n}@example.com`,
  uuid: (n) => `123e4567-e89b-42d3-a456-4266141${String(n).padStart(5, "0")}`,
  uri: (n) => `https://example.com/a${n}`,
  url: (n) => `https://example.com/a${n}`,
  "uri-template": (n) => `https://example.com/{a${n}}`,
  hostname: (n) => `host${n}.example.com`,
  ipv4: (n) => `192.0.2.${n % 256}`,
  ipv6: (n) => `2001:db8::${n.toString(16)}`,
  byte: (n) => btoa(String(n)),
  duration: (n) => `P${n + 1}D`,
};

const samples = new Map<string, readonly string[]>();

/** A text that fits a schema as far as its own keywords say. */
export function generateText(schema: UnknownRecord, random: () => number): string {
  const least = Number(schema.minLength ?? 0);
  const longest = Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
  if (typeof schema.pattern === "string") {
    const fitting = textsFor(schema.pattern).filter(
      ({ length }) => length >= Math.max(least, 1) && length <= longest,
    );
    return fitting[Math.floor(random() * fitting.length)] ?? "";
  }
  const number = Math.floor(random() * 1_000);
  if (schema.contentEncoding === "base64") return btoa(`bytes ${number}`);
  const format = FORMATS[String(schema.format)];
  if (format) return format(number);
  const most = Math.min(longest, least + 12);
  const length = Math.min(Math.max(1, least, Math.floor(random() * (most + 1))), Math.max(most, 1));
  return Array.from({ length }, () => LETTERS[Math.floor(random() * LETTERS.length)])
    .join("")
    .replaceAll(/^ | $/g, "x");
}

/** Texts that a pattern matches; none for a pattern that nothing can be generated for. */
function textsFor(pattern: string): readonly string[] {
  const known = samples.get(pattern);
  if (known) return known;
  const made = sample(pattern);
  samples.set(pattern, made);
  return made;
}

function sample(pattern: string): readonly string[] {
  for (const flags of ["u", ""]) {
    try {
      const found = fc.sample(fc.stringMatching(new RegExp(pattern, flags), { size: "xsmall" }), {
        numRuns: SAMPLES,
        seed: 1,
      });
      // What a text has beside what matches may be anything, and not all of that survives a path or a header.
      const plain = found.filter((text) => /^[\x21-\x7e]*$/.test(text) && !/^\.{1,2}$/.test(text));
      return [...new Set(plain.length > 0 ? plain : found)];
    } catch {
      // Some patterns are none with the flag, some none without it.
    }
  }
  return [];
}

function two(n: number): string {
  return String(Math.floor(n) % 60).padStart(2, "0");
}
