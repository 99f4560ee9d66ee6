import { defineOperation, type Registration, type Registry, Slices } from "../../core/index.ts";
import { ChangeWatch } from "./change-watch.ts";

const NAMES = { type: "array", items: { type: "string" } } as const;

/** `services/changes`: tells a caller what comes, goes and changes of that which it may see, and of nothing else. */
export function defineChanges(registry: Registry): Registration {
  const slices = new Slices();
  return defineOperation({
    name: "services/changes",
    type: "subscription",
    description:
      "Follows which operations you may call come, go or change. The first item is empty and says that it follows from now on; whoever is slow gets several changes as one.",
    outputSchema: {
      type: "object",
      properties: {
        generation: { type: "integer", description: "Counts the items of this subscription" },
        added: NAMES,
        removed: NAMES,
        changed: NAMES,
      },
      required: ["generation", "added", "removed", "changed"],
    },
    handler: (_input, context) => new ChangeWatch({ registry, context, slices }),
  });
}
