import {
  createView,
  type OperationContext,
  type OperationSpec,
  type Registry,
  type View,
} from "../../core/index.ts";

/** The view of a service's caller: nothing internal, even where an operation composes the service. */
export function viewOf(registry: Registry, context: OperationContext): View {
  const { identity, connection, reach } = context;
  return createView(registry.snapshot(), { identity, connection, reach, internal: false });
}

/** A spec as callers see it: without its access rules. */
export function publicSpec({ access: _hidden, ...spec }: OperationSpec): Omit<OperationSpec, "access"> {
  return spec;
}
