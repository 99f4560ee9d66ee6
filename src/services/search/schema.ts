import { SERVICES } from "../../contract/index.ts";
import {
  CallError,
  defineOperation,
  normaliseName,
  type Registration,
  type Registry,
} from "../../core/index.ts";
import { fitSpecs } from "./fit-spec.ts";
import { viewOf } from "./view-of.ts";

/** `services/schema`: the specs of some operations, as whole as the budget of a reply lets them be. */
export function defineSchema(registry: Registry): Registration {
  return defineOperation({
    name: "services/schema",
    type: "query",
    description: "Shows exactly how to call operations: input and output schemas, errors, what they do.",
    inputSchema: SERVICES.schema.input,
    outputSchema: SERVICES.schema.output,
    handler({ name, names = [] }, context) {
      const wanted = [...new Set([...(name === undefined ? [] : [name]), ...names].map(normaliseName))];
      if (wanted.length === 0) {
        throw new CallError(
          "INVALID_INPUT",
          'Say which operation: {"name": "demo/greet"}, or several as names.',
        );
      }
      const view = viewOf(registry, context);
      const found = wanted.map((each) => ({ name: each, look: view.look(each) }));
      const open = found.filter(({ look }) => look?.sight === "open");
      const missing = found.filter(({ look }) => look?.sight !== "open").map((each) => each.name);
      const specs = open.flatMap(({ look }) => (look ? [look.entry.registration.spec] : []));
      const { operations, note } = fitSpecs(specs);
      return {
        operations,
        ...(missing.length > 0 && { missing }),
        ...(note !== undefined && { note }),
      };
    },
  });
}
