import { createView, type OperationContext, type Registry, type View } from "../../core/index.ts";

/** What the caller of a service may see, also where an operation composes the service: nothing internal. */
export function viewOf(registry: Registry, context: OperationContext): View {
  const { identity, connection, reach } = context;
  return createView(registry.snapshot(), { identity, connection, reach, internal: false });
}
