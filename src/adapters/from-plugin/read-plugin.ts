import {
  defineOperation,
  definePlugin,
  isRecord,
  nearest,
  type Registration,
  RegistrationError,
  type SourceSet,
  type UnknownRecord,
} from "../../core/index.ts";

const PLUGIN_KEYS = ["name", "title", "description", "operations", "routes", "ownership", "close"];
const OPERATION_KEYS = [
  "name",
  "type",
  "description",
  "inputSchema",
  "outputSchema",
  "handler",
  "visibility",
  "title",
  "tags",
  "version",
  "deprecated",
  "aliases",
  "errors",
  "access",
  "mutates",
  "idempotent",
  "dry",
  "annotations",
  "composes",
  "authority",
  "capabilities",
];

/**
 * Reads the default export of a plugin: what `definePlugin` made, or a plain object with its arguments. Undefined for
 * something else; throws a RegistrationError for a plugin with mistakes.
 */
export function readPlugin(value: unknown): SourceSet | undefined {
  if (!isRecord(value)) return undefined;
  const isMade = isRecord(value.source) && Array.isArray(value.registrations);
  if (isMade) return withOperations(value as unknown as SourceSet, value.registrations as readonly unknown[]);
  if (typeof value.name !== "string" || typeof value.handler === "function") return undefined;
  refuseUnknown(value, PLUGIN_KEYS, "The plugin");
  const { operations } = value;
  if (!Array.isArray(operations)) throw new RegistrationError("The plugin's operations must be a list.");
  if (value.close !== undefined && typeof value.close !== "function")
    throw new RegistrationError("The plugin's close must be a function.");
  const set = definePlugin({ ...(value as { name: string }), operations: [] });
  return withOperations(set, operations);
}

function withOperations(set: SourceSet, operations: readonly unknown[]): SourceSet {
  return { ...set, registrations: operations.map(toRegistration) };
}

/** An operation as `defineOperation` makes it, or made by it from a plain record. */
function toRegistration(value: unknown): Registration {
  const isMade =
    isRecord(value) &&
    isRecord(value.spec) &&
    isRecord(value.handler) &&
    typeof value.provenance === "string";
  if (isMade) return value as unknown as Registration;
  if (!isRecord(value) || "spec" in value)
    throw new RegistrationError(
      "There is something among its operations that is not an operation. Make each with defineOperation({name, …}).",
    );
  refuseUnknown(value, OPERATION_KEYS, `Operation ${JSON.stringify(value.name)}`);
  return defineOperation(value as unknown as Parameters<typeof defineOperation>[0]);
}

/** A mistyped key would have no effect, and without its schema or access an operation takes anything from anyone. */
function refuseUnknown(value: UnknownRecord, known: readonly string[], whose: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const [close] = nearest(unknown, known, 1);
  const advice = close ? `Write ${close}.` : `It may have: ${known.join(", ")}.`;
  throw new RegistrationError(`${whose} has ${unknown}, which has no effect. ${advice}`);
}
