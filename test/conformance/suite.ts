import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { parse } from "yaml";
import { childEnv } from "../support/child-env.ts";

/** The revisions that the suite holds servers and clients against. */
export const REVISIONS = ["2026-07-28", "2025-11-25"] as const;

/** A revision that the suite knows. */
export type Revision = (typeof REVISIONS)[number];

/** The suite that is run, with its version. */
export function suiteName(): string {
  const { name, version } = JSON.parse(readFileSync(inPackage("package.json"), "utf8"));
  return `${name} ${version}`;
}

/** The scenarios that a revision requires of a server or of a client. */
export function requiredScenarios(revision: Revision, of: "server" | "client"): readonly string[] {
  return parse(readFileSync(inPackage(`requirements/${revision}.yaml`), "utf8"))[of];
}

/** What a baseline says is left out: the entry and its reason, one a line. */
export function leftOut(baseline: string): readonly { readonly entry: string; readonly reason: string }[] {
  const lines = readFileSync(baseline, "utf8").matchAll(/^ {2}- (\S+) # (\S.*)$/gm);
  return [...lines].map(([, entry = "", reason = ""]) => ({ entry, reason }));
}

/** Runs the official suite to its end. */
export function runCli(
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly output: string }> {
  const env = { ...childEnv(), ...more };
  return new Promise((resolve) => {
    const options = { env, maxBuffer: 64 * 1024 * 1024, timeout: 220_000 };
    execFile(process.execPath, [inPackage("dist/index.js"), ...args], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      const trouble = error !== null && typeof error.code !== "number" ? error.message : "";
      resolve({ status, output: stripVTControlCharacters([stdout, stderr, trouble].join("\n")) });
    });
  });
}

function inPackage(path: string): string {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/conformance/${path}`));
}
