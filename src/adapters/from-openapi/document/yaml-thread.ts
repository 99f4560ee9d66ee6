/** Runs in a thread of its own: reads the YAML that it is given and answers with JSON. */
import { parentPort, workerData } from "node:worker_threads";
import type { YamlAnswer } from "./parse-document.ts";
import { parseYaml } from "./parse-yaml.ts";

parentPort?.postMessage(answerTo(String(workerData)));

function answerTo(text: string): YamlAnswer {
  try {
    return { json: JSON.stringify(parseYaml(text)) ?? "null" };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
