import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { ImportError } from "../../core/index.ts";
import { parseYaml, type YamlAnswer } from "./yaml-thread.ts";

/** Longer YAML would block this thread: a megabyte takes a second and more. */
const MAX_HERE = 50_000;
const MAX_MEMORY_MB = 1_536;

/** Parses JSON or YAML. Throws an ImportError for anything else. */
export async function parseDocument(text: string, shown: string, signal: AbortSignal): Promise<unknown> {
  try {
    // Some YAML begins like JSON.
    const json = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
    if (json !== undefined) return json;
    return text.length <= MAX_HERE ? parseYaml(text) : await parseElsewhere(text, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    throw new ImportError(
      "SCHEMA_PARSE",
      `${shown} is neither JSON nor YAML: ${reason.slice(0, 200)}`,
      error,
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses in another thread, which answers with JSON: that is parsed here in a fraction of the time. */
async function parseElsewhere(text: string, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const file = new URL(`./yaml-thread${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, {
    workerData: { yaml: text },
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const answer = await new Promise<YamlAnswer>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(signal.reason ?? new Error("it could not be read")));
    });
    if ("reason" in answer) throw new Error(answer.reason);
    return JSON.parse(answer.json);
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
