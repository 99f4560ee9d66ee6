import type { OperationSpec } from "../../core/index.ts";

/** A spec as callers see it: who may call is nobody's business but the gateway's. */
export function publicSpec({ access: _hidden, ...spec }: OperationSpec): Omit<OperationSpec, "access"> {
  return spec;
}
