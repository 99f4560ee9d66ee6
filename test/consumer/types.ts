// What a program in TypeScript relies on: that the types of all entrances arrive, and arrive as types.
import { createRuntime, type Registry } from "pinhole";
import { CallError, type CallErrorJson } from "pinhole/client";
import type { OperationSpec, Runtime } from "pinhole/core";

const runtime: Runtime = createRuntime();
const registry: Registry = runtime.registry;

export const names: readonly OperationSpec["name"][] = registry
  .snapshot()
  .entries()
  .map((entry) => entry.registration.spec.name);

export function codeOf(error: unknown): CallErrorJson["code"] | undefined {
  return error instanceof CallError ? error.code : undefined;
}

// @ts-expect-error: sources are records, so this must not pass as `any`
createRuntime({ sources: 1 });
