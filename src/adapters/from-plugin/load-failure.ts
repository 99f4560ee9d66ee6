import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { ImportError, isRecord, messageOf } from "../../core/index.ts";

const COMPILE = "Or compile it to JavaScript, and name that file in the config.";

/** Ways to write what Node cannot run by taking the types away. */
const ERASABLE: readonly (readonly [RegExp, string])[] = [
  [/enum/, 'Write a plain object: const Color = { red: "red" } as const.'],
  [/parameter property/, "Declare the field, and assign it in the constructor."],
  [/namespace/, "Make it a module of its own, or a plain object."],
  [/import equals/, 'Write: import name from "module".'],
  [/./, "Write it in plain JavaScript with types."],
];

/** Bounds of the search for a syntax error. */
const MAX_CHECKED = 20;
const CHECK_MS = 5_000;

/** The error about a plugin that threw while it was loaded: file, line, reason and what to do. */
export async function loadFailure(
  path: string,
  files: readonly string[],
  cause: unknown,
): Promise<ImportError> {
  const found =
    placeOf(cause, files) ?? (cause instanceof SyntaxError ? await syntaxErrorIn(files) : undefined);
  const { file = path, line } = found ?? {};
  const place = line === undefined ? file : `${file}:${line}`;
  const [reason = ""] = messageOf(cause).split(/\.?\s*(?:\n|$)/, 1);
  return new ImportError(
    "DISCOVERY_FAILED",
    `${place} cannot be loaded: ${reason}. ${adviceOn(cause, reason)}`,
    cause,
  );
}

function adviceOn(cause: unknown, reason: string): string {
  switch (isRecord(cause) ? cause.code : undefined) {
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX": {
      const [, way] = ERASABLE.find(([pattern]) => pattern.test(reason)) ?? [];
      return `Node takes the types away and compiles nothing. ${way} ${COMPILE}`;
    }
    case "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING":
      return `Node runs no TypeScript below node_modules. Move the file out of it. ${COMPILE}`;
    case "ERR_MODULE_NOT_FOUND":
    case "MODULE_NOT_FOUND":
      return adviceOnMissing(reason);
  }
  if (/import statement outside a module|Unexpected token 'export'|Cannot use 'import\.meta'/.test(reason))
    return 'Its package.json makes it CommonJS: write "type": "module" there, or give the file the ending .mts or .mjs.';
  return "Fix it and save it.";
}

function adviceOnMissing(reason: string): string {
  const [, name = ""] = /^Cannot find (?:package|module) '([^'./][^']*)'/.exec(reason) ?? [];
  if (name !== "") return `Run this in the folder of the plugin: npm install ${name}`;
  const [, file = ""] = /'([^']+)'/.exec(reason) ?? [];
  return /\.\w+$/.test(basename(file))
    ? "Put the file there, or correct the import."
    : "Write the name of the file with its ending, as in ./helper.ts.";
}

interface Place {
  readonly file: string;
  readonly line: number | undefined;
}

/** The first place in the stack that is in one of the files; for a module that was not found, its importer. */
function placeOf(error: unknown, files: readonly string[]): Place | undefined {
  const place = placeIn(error instanceof Error ? (error.stack ?? "") : "", files);
  if (place) return place;
  const [, importer = ""] = /imported from (.+)$/m.exec(messageOf(error)) ?? [];
  return files.includes(importer) ? { file: importer, line: undefined } : undefined;
}

function placeIn(text: string, files: readonly string[]): Place | undefined {
  for (const [, at = "", line] of text.matchAll(/((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^\n()'"]*?):(\d+)/g)) {
    const file = at.startsWith("file:") ? fileURLToPath(at) : at;
    if (files.includes(file)) return { file, line: Number(line) };
  }
  return undefined;
}

/**
 * Node tells the place of a syntax error in a module only where it takes types away, which it can do with JavaScript too.
 * In a thread of its own, because Node warns in the one that asks. The last files are the likeliest.
 */
const FIND_SYNTAX_ERROR = `
  const { readFileSync } = require("node:fs");
  const { stripTypeScriptTypes } = require("node:module");
  const { parentPort, workerData } = require("node:worker_threads");
  for (const file of workerData) {
    try {
      stripTypeScriptTypes(readFileSync(file, "utf8"), { sourceUrl: file });
    } catch (error) {
      const [, line] = /^[^\\n]*:(\\d+)\\n/.exec(error.stack) ?? [];
      if (line) {
        parentPort.postMessage({ file, line: Number(line) });
        break;
      }
    }
  }`;

async function syntaxErrorIn(files: readonly string[]): Promise<Place | undefined> {
  const worker = new Worker(FIND_SYNTAX_ERROR, {
    eval: true,
    workerData: files.toReversed().slice(0, MAX_CHECKED),
    execArgv: ["--no-warnings"],
    env: {},
  });
  const timer = setTimeout(() => worker.terminate(), CHECK_MS);
  try {
    return await new Promise<Place | undefined>((resolve) => {
      worker.once("message", resolve);
      worker.once("error", () => resolve(undefined));
      worker.once("exit", () => resolve(undefined));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
