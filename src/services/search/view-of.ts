import {
  createView,
  type OperationContext,
  type OperationSpec,
  type Registry,
  type View,
} from "../../core/index.ts";

/** What the caller of a service may see, also where an operation composes the service: nothing internal. */
export function viewOf(registry: Registry, context: OperationContext): View {
  const { identity, connection, reach } = context;
  return createView(registry.snapshot(), { identity, connection, reach, internal: false });
}

/** A spec as callers see it: who may call is nobody's business but the gateway's. */
export function publicSpec({ access: _hidden, ...spec }: OperationSpec): Omit<OperationSpec, "access"> {
  return spec;
}
