import type { Random } from "./random.ts";

const KINDS = [
  "zeros",
  "texts",
  "deep",
  "keys",
  "records",
  "orders",
  "objects",
  "escapes",
  "numbers",
  "broken",
] as const;

/** JSON, or something like it, of about so many bytes that is as much work as its size allows. */
export function hostileJson(random: Random, bytes: number): { readonly kind: string; readonly text: string } {
  const kind = random.pick(KINDS);
  return { kind, text: MAKERS[kind](bytes) };
}

const MAKERS: Readonly<Record<(typeof KINDS)[number], (bytes: number) => string>> = {
  zeros: (bytes) => `[${"0,".repeat(bytes / 2)}0]`,
  texts: (bytes) => `[${'"",'.repeat(bytes / 3)}""]`,
  deep: (bytes) => `[${`${"[".repeat(50)}${"]".repeat(50)},`.repeat(bytes / 101)}0]`,
  keys: (bytes) => `{${Array.from({ length: bytes / 12 }, (_, n) => `"k${n.toString(36)}":0`).join()}}`,
  records: (bytes) => `[${Array.from({ length: bytes / 14 }, (_, n) => `{"k${n.toString(36)}":0}`).join()}]`,
  orders: (bytes) =>
    `[${Array.from({ length: bytes / 36 }, (_, n) => `{"a${n % 97}":0,"b${n % 89}":0,"c${n % 83}":0}`).join()}]`,
  objects: (bytes) => `[${"{},".repeat(bytes / 3)}{}]`,
  escapes: (bytes) => `"${"\\u0041".repeat(bytes / 6)}"`,
  numbers: (bytes) => `[${"1e308,-0.123456789012345678,".repeat(bytes / 28)}1]`,
  broken: (bytes) => "[".repeat(bytes),
};
