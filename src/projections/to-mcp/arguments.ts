import {
  CallError,
  isRecord,
  nearest,
  type SchemaValidator,
  signatureOf,
  type UnknownRecord,
} from "../../core/index.ts";
import { CONTRACT, TOOL_NAMES, type ToolName } from "../contract.ts";

/** Names that models know from other gateways; accepted, never listed. */
const OTHER_NAMES: Readonly<Record<string, ToolName>> = {
  tool_search: "search",
  tool_describe: "schema",
  tool_invoke: "call",
};

/** The tool that a name means, if it means one. */
export function toolOf(name: string): ToolName | undefined {
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  return TOOL_NAMES.find((tool) => tool === name);
}

/** Why there is no such tool, and what to use. */
export function unknownTool(name: string): string {
  const [close] = nearest(name, TOOL_NAMES, 1);
  const hint = close ? `Did you mean ${close}?` : `The tools are ${TOOL_NAMES.join(", ")}.`;
  const shown = JSON.stringify(name.slice(0, 100));
  return `There is no tool ${shown}. ${hint} Operations are not tools: run one as call with {"operation": ${shown}}.`;
}

/** Checks what a model wrote against the contract, after bringing familiar slips into form. */
export function checkArguments(tool: ToolName, given: unknown, validator: SchemaValidator): UnknownRecord {
  const written = bringIntoForm(tool, isRecord(given) ? given : {});
  const problems = validator.check(CONTRACT[tool].input, written);
  if (problems.length === 0) return written;
  const lines = problems.map(
    ({ path, expected, actual }) => `${path || "arguments"}: ${say(expected, actual)}`,
  );
  const { input, output } = CONTRACT[tool];
  const signature = signatureOf({ inputSchema: input, outputSchema: output });
  throw new CallError(
    "INVALID_INPUT",
    `${tool} was not called — ${lines.join("; ")}. Use ${tool}${signature}.`,
    {
      details: { problems },
    },
  );
}

function say(expected: string, actual: string): string {
  return expected.startsWith("no ") ? expected : `expected ${expected}, got ${actual}`;
}

function bringIntoForm(tool: ToolName, given: UnknownRecord): UnknownRecord {
  if (tool === "call") return asCall(given);
  if (tool === "batch" && Array.isArray(given.calls)) {
    return { ...given, calls: given.calls.map((item) => (isRecord(item) ? asCall(item) : item)) };
  }
  return given;
}

/** Models write name for operation, args or arguments for input, and input as JSON text. */
function asCall(given: UnknownRecord): UnknownRecord {
  const { name, args, arguments: longArgs, operation = name, input: plain, ...rest } = given;
  const input = parsedIfText(plain ?? args ?? longArgs);
  return {
    ...rest,
    ...(operation !== undefined && { operation }),
    ...(input !== undefined && { input }),
  };
}

function parsedIfText(input: unknown): unknown {
  if (input === null || input === undefined) return undefined;
  if (typeof input !== "string" || !input.trimStart().startsWith("{")) return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
