import { invalidInput } from "../access/index.ts";
import {
  CallError,
  isRecord,
  normaliseName,
  pathOfCaller,
  type Registration,
  rewritePreset,
  type SchemaProblem,
} from "../model/index.ts";
import { type FoundPreset, findPreset } from "../registry/index.ts";
import { checkInput, type InputStages } from "./admit.ts";
import type { Call, Frame } from "./frame.ts";

/** The preset that a call from outside names. Composers name operations. */
export function presetOf({ operation }: Call, frame: Frame): FoundPreset | undefined {
  const { snapshot, internal } = frame;
  if (internal || snapshot.presets.size === 0) return undefined;
  return findPreset(snapshot, normaliseName(operation), frame);
}

/** The checked input of a call; that of a preset's operation, where a preset was named. */
export function inputOf(call: Call, called: Registration | FoundPreset, stages: InputStages): unknown {
  return "preset" in called ? rewritten(call, called, stages) : checkInput(call, called, stages);
}

/** What is wrong is told in the words of the preset. */
function rewritten(call: Call, { preset, entry, spec }: FoundPreset, stages: InputStages): unknown {
  const { registration } = entry;
  const given = checkInput(call, { ...registration, spec }, stages);
  const made = rewritePreset(preset, given);
  if ("problems" in made) throw invalidInput(spec, made.problems);
  try {
    return checkInput({ ...call, input: made.input }, registration, stages);
  } catch (error) {
    const problems =
      error instanceof CallError && isRecord(error.details) ? error.details.problems : undefined;
    if (!Array.isArray(problems)) throw error;
    const own = (problems as readonly SchemaProblem[]).map((problem) => ({
      ...problem,
      path: pathOfCaller(preset, problem.path),
    }));
    throw invalidInput(spec, own);
  }
}
