import {
  type BatchEnvelope,
  type Call,
  CallError,
  type Entrance,
  type Envelope,
  isRecord,
  problemOfJsonText,
  type SchemaValidator,
  signatureOf,
  type UnknownRecord,
  type WireCall,
} from "../core/index.ts";
import { type ActionName, CONTRACT, MAX_BATCH, type Shape, SUBSCRIBE, type ToolName } from "./shapes.ts";

/** Maximum nesting of an input given as text: the same as for a request on any wire. */
const MAX_NESTING = 512;

/** Checks arguments against the contract, after correcting common slips. */
export function checkArguments(
  action: ActionName,
  given: unknown,
  validator: SchemaValidator,
): UnknownRecord {
  const shape: Shape = action === "subscribe" ? SUBSCRIBE : CONTRACT[action];
  const written = bringIntoForm(action, isRecord(given) ? given : {});
  return checkShape(action, shape, { written, validator });
}

function bringIntoForm(action: ActionName, given: UnknownRecord): UnknownRecord {
  if (action === "call" || action === "subscribe") return asCall(given);
  return action === "batch" ? asBatch(given, MAX_BATCH) : given;
}

/** Refuses arguments that do not fit a shape, with the nearest valid names and the signature. */
function checkShape(
  name: string,
  shape: Shape,
  { written, validator }: { readonly written: UnknownRecord; readonly validator: SchemaValidator },
): UnknownRecord {
  const problems = validator.check(shape.input, written);
  if (problems.length === 0) return written;
  const lines = problems.map(
    ({ path, expected, actual }) => `${path || "arguments"}: ${say(expected, actual)}`,
  );
  const signature = signatureOf({ inputSchema: shape.input, outputSchema: shape.output });
  throw new CallError(
    "INVALID_INPUT",
    `${name} was not called — ${lines.join("; ")}. Use ${name}${signature}.`,
    {
      details: { problems },
    },
  );
}

function say(expected: string, actual: string): string {
  return expected.startsWith("no ") ? expected : `expected ${expected}, got ${actual}`;
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

/** The same for each call of a batch; a batch over the limit is refused before its calls are read. */
function asBatch(given: UnknownRecord, most: number): UnknownRecord {
  if (!Array.isArray(given.calls)) return given;
  if (given.calls.length > most) {
    throw new CallError(
      "INVALID_INPUT",
      `batch was not called — /calls: expected at most ${most} items, got ${given.calls.length}. Send several batches.`,
    );
  }
  return { ...given, calls: given.calls.map((item) => (isRecord(item) ? asCall(item) : item)) };
}

function parsedIfText(input: unknown): unknown {
  if (input === null || input === undefined) return undefined;
  if (typeof input !== "string" || !input.trimStart().startsWith("{")) return input;
  const problem = problemOfJsonText(input, MAX_NESTING);
  if (problem)
    throw new CallError(
      "INVALID_INPUT",
      `The input is JSON text that ${problem.says}. Nothing was called. ${problem.advice}`,
    );
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

/** An action with arguments that have passed `checkArguments`. */
interface Action {
  readonly name: ToolName;
  readonly written: UnknownRecord;
}

/** Runs an action for a caller. Every wire comes through here. */
export function runAction(
  entrance: Entrance,
  { name, written }: Action,
  wire: WireCall = {},
): Promise<Envelope | BatchEnvelope> {
  switch (name) {
    case "search":
    case "schema":
      return entrance.call({ operation: `services/${name}`, input: written }, wire);
    case "batch":
      return entrance.batch(written.calls as unknown[], wire);
    case "call":
      return entrance.call(written as unknown as Call, wire);
  }
}
