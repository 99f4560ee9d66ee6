import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { parse } from "yaml";

const MAX_ALIASES = 10_000;

/** The answer of the thread. */
export type YamlAnswer = { readonly json: string } | { readonly reason: string };

/** Parses YAML. Throws an error with the reason. */
export function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: MAX_ALIASES, merge: true, logLevel: "error", uniqueKeys: false });
}

// As a thread of its own, it reads the YAML that it was started with and answers with JSON.
if (!isMainThread && typeof workerData?.yaml === "string") parentPort?.postMessage(answerTo(workerData.yaml));

function answerTo(text: string): YamlAnswer {
  try {
    return { json: JSON.stringify(parseYaml(text)) ?? "null" };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
