import { defineOperation, type JsonSchema, type Registration } from "../../src/core.ts";

/** An operation together with an input that fits it. */
export interface Sample {
  readonly registration: Registration;
  readonly input: Readonly<Record<string, unknown>>;
}

const THINGS = [
  "invoice",
  "issue",
  "customer",
  "branch",
  "ticket",
  "payment",
  "label",
  "shipment",
  "message",
];
const PER_NAMESPACE = 40;

/**
 * Makes that many different operations that look like those of a real API. Each has the same kinds of
 * field under names of its own, so that one is as much work as another and sizes can be compared.
 */
export function makeOperations(count: number): readonly Sample[] {
  return Array.from({ length: count }, (_, index) => makeOperation(index));
}

function makeOperation(index: number): Sample {
  const thing = `${THINGS[index % THINGS.length]}${index % 97}`;
  const registration = defineOperation({
    name: `service${Math.floor(index / PER_NAMESPACE)}/update_${thing}_${index}`,
    type: "mutation",
    description: `Updates one ${thing} and answers with its new state.`,
    tags: [thing, "update"],
    inputSchema: inputSchemaOf(thing),
    outputSchema: { type: "object", title: thing, properties: { done: { type: "boolean" } } },
    errors: [{ code: "CONFLICT", description: `The ${thing} was changed by someone else`, httpStatus: 409 }],
    handler: () => ({ done: true }),
  });
  return { registration, input: inputOf(thing) };
}

function inputSchemaOf(thing: string): JsonSchema {
  return {
    type: "object",
    properties: {
      [`${thing}_id`]: { type: "string", pattern: "^[a-z]+-[0-9]{1,9}$", description: `Which ${thing}` },
      title: { type: "string", minLength: 1, maxLength: 200, description: `What to call the ${thing}` },
      state: { enum: ["open", "closed", "draft", "archived"], default: "open" },
      [`${thing}_priority`]: { type: "integer", minimum: 1, maximum: 5 },
      labels: { type: "array", items: { type: "string" }, maxItems: 20, uniqueItems: true },
      assignee: { anyOf: [{ type: "null" }, { $ref: "#/$defs/person" }] },
      notify: { type: "boolean", default: false },
    },
    required: [`${thing}_id`, "title"],
    additionalProperties: false,
    $defs: {
      person: {
        type: "object",
        properties: { name: { type: "string" }, email: { type: "string", format: "email" } },
        required: ["name"],
      },
    },
  };
}

function inputOf(thing: string): Sample["input"] {
  return {
    [`${thing}_id`]: `${thing.replaceAll(/\d/g, "")}-4711`,
    title: `The ${thing} from last week`,
    state: "open",
    [`${thing}_priority`]: 2,
    labels: ["urgent", "customer"],
    assignee: { name: "Ada", email: "ada@example.org" },
  };
}
