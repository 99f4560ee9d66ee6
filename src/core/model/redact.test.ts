import assert from "node:assert/strict";
import { test } from "node:test";
import { NotJson } from "./json.ts";
import { createRedactor } from "./redact.ts";

const SECRET = 's3cr3t+/"value\\ü=';
const base64 = (text: string) => Buffer.from(text).toString("base64");
const ascii = (text: string) =>
  text.replaceAll(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** What an echo may have made of the secret, and what is left of it. */
const FORMS: readonly (readonly [name: string, text: string])[] = [
  ["as it is", SECRET],
  ["JSON", JSON.stringify({ token: SECRET })],
  ["JSON within JSON", JSON.stringify(JSON.stringify({ token: SECRET }))],
  ["JSON in ASCII", ascii(JSON.stringify(SECRET))],
  ["JSON with escaped slashes", JSON.stringify(SECRET).replaceAll("/", "\\/")],
  ["percent-encoded", `https://a.test/?key=${encodeURIComponent(SECRET)}&more`],
  ["percent-encoded in lower case", encodeURIComponent(SECRET).toLowerCase()],
  ["a form", new URLSearchParams({ token: SECRET }).toString()],
  ["HTML", `<pre>${SECRET.replaceAll('"', "&quot;")}</pre>`],
  ["base64", base64(SECRET)],
  ["base64url", Buffer.from(SECRET).toString("base64url")],
  ["base64 with something before it", base64(`a${SECRET}`)],
  ["base64 of a header", base64(`Authorization: Bearer ${SECRET}\r\nHost: a.test`)],
  ["base64 of name and password", `Basic ${base64(`ada:${SECRET}`)}`],
];

test("a secret is found in every form that an echo may give it", () => {
  const redactor = createRedactor(["another-secret", SECRET]);
  const forms = formsFound(redactor.text);
  assert.deepEqual(
    forms.filter(([, isFound]) => !isFound),
    [],
  );
  assert.equal(redactor.text(`Bearer ${SECRET}, twice ${SECRET}.`), "Bearer [redacted], twice [redacted].");
});

function formsFound(redact: (text: string) => string): readonly (readonly [string, boolean])[] {
  return FORMS.map(([name, text]) => [name, redact(`before ${text} after`).includes("[redacted]")]);
}

test("base64 is covered at all alignments, but for the few bits that neighbours share", () => {
  const secret = "abcdefghij";
  const redactor = createRedactor([secret]);
  for (const before of ["", "x", "xy", "xyz"]) {
    for (const after of ["", "x", "xy"]) {
      const encoded = base64(`${before}${secret}${after}`);
      const left = redactor.text(encoded).replace("[redacted]", "");
      assert.ok(left.length <= encoded.length - 12, `${before}|${after}: ${left}`);
    }
  }
});

test("texts and keys of any JSON value are redacted, and nothing else of it changes", () => {
  const redactor = createRedactor(["hunter2-hunter2"]);
  const given = {
    plain: ["a", 1, null, true, Number.NaN],
    "key hunter2-hunter2": { deep: [{ text: "it is hunter2-hunter2!" }] },
    kept: { untouched: "hunter2" },
  };
  const clean = redactor.value(given);
  assert.deepEqual(clean, {
    plain: ["a", 1, null, true, Number.NaN],
    "key [redacted]": { deep: [{ text: "it is [redacted]!" }] },
    kept: { untouched: "hunter2" },
  });
  assert.equal(clean.kept, given.kept, "what has no secret is not copied");
  assert.equal(redactor.value(given.plain), given.plain);
});

test("__proto__ stays a key, dates stay dates, and parts that are shared are shared", () => {
  const redactor = createRedactor(["hunter2-hunter2"]);
  const hostile = JSON.parse('{"__proto__": {"a": "hunter2-hunter2"}}') as object;
  assert.equal(JSON.stringify(redactor.value(hostile)), '{"__proto__":{"a":"[redacted]"}}');
  const date = new Date(0);
  assert.equal(redactor.value({ date }).date, date);
  const shared = { text: "hunter2-hunter2" };
  const clean = redactor.value([shared, shared]);
  assert.equal(clean[0], clean[1]);
  const endless: unknown[] = [];
  endless.push(endless);
  assert.equal(redactor.value(endless), endless);
});

test("a value nested deeper than anything that is sent is refused, not followed", () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
  assert.throws(() => createRedactor(["hunter2-hunter2"]).value(deep), NotJson);
});

test("secrets that overlap or contain each other leave nothing", () => {
  const redactor = createRedactor(["abcdefghij", "fghijklmno", "cdefghijkl"]);
  assert.equal(redactor.text("-abcdefghijklmno-"), "-[redacted]-");
});

test("a secret of fewer than 8 characters is not redacted, and no secrets cost nothing", () => {
  const text = "the root of it";
  assert.equal(createRedactor(["root", ""]).text(text), text);
  const value = { text };
  assert.equal(createRedactor([]).value(value), value);
});

test("a thousand secrets are all found, also where they begin alike", () => {
  const secrets = Array.from(
    { length: 1_000 },
    (_, number) => `eyJhbGciOiJIUzI1NiJ9.${number * 7_919}.${number * 104_729}`,
  );
  const redactor = createRedactor(secrets);
  for (const secret of secrets) assert.equal(redactor.text(`<${secret}\n`), "<[redacted]\n");
  assert.equal(redactor.text("eyJhbGciOiJIUzI1NiJ9.5.5"), "eyJhbGciOiJIUzI1NiJ9.5.5");
});
