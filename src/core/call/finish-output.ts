import {
  CallError,
  type Capabilities,
  createRedactor,
  declaredError,
  isContentOutput,
  isRecord,
  type JsonSchema,
  type Log,
  measureJson,
  messageOf,
  NO_REDACTION,
  NotJson,
  type OperationSpec,
  type Redactor,
  type Registration,
  rowOf,
  type SchemaProblem,
  SchemaUnusable,
  type SchemaValidator,
  type Selector,
} from "../model/index.ts";

const MAX_PLACES = 5;

/** Treatment of outputs, and of details of declared errors, that do not fit their schemas. */
export type OutputValidation = "off" | "warn" | "enforce";

/** Dependencies of the stages after the handler. */
export interface OutputStages {
  readonly validator: SchemaValidator;
  readonly selector: Selector;
  readonly outputValidation: OutputValidation;
  readonly maxResultBytes: number;
  readonly log: Log;
}

/** Wishes of one call about its output. */
interface OutputWish {
  readonly requestId: string;
  readonly select?: string | undefined;
  /** Takes out the secrets of the call. */
  readonly redactor: Redactor;
  /** Composed calls hand data on inside the process; only what goes out is capped. */
  readonly capped: boolean;
}

/** An output on its way to the caller; its size is known where it was measured. */
interface Finished {
  readonly output: unknown;
  readonly bytes: number;
}

/** Everything between a handler's answer and the caller: redact, validate, select, cap. */
export function finishOutput(
  answer: unknown,
  registration: Registration,
  wish: OutputWish & { readonly stages: OutputStages },
): Finished {
  const { stages, requestId } = wish;
  const { spec } = registration;
  try {
    const output = wish.redactor.value(answer === undefined ? null : answer);
    const isWhole = wish.select === undefined || !registration.selects;
    // A part of an output does not fit the schema of the whole; the handler that took it has seen the whole.
    if (isWhole) validateOutput(output, spec, { ...stages, requestId });
    const selected =
      wish.select === undefined || !isWhole ? output : applySelect(output, wish.select, { spec, stages });
    return { output: selected, bytes: wish.capped ? capSize(selected, spec, stages.maxResultBytes) : 0 };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    stages.log.error("A handler answered with a value that is not JSON", {
      operation: spec.name,
      requestId,
      error: error.message,
    });
    throw new CallError(
      "INTERNAL",
      `${spec.name} answered with something that cannot be sent.${ranNote(spec)} Tell its owner.`,
    );
  }
}

function validateOutput(
  output: unknown,
  spec: OperationSpec,
  stages: OutputStages & { readonly requestId: string },
): void {
  const { log, requestId } = stages;
  const problems = problemsOf(output, spec.outputSchema, stages);
  if (problems.length === 0) return;
  if (stages.outputValidation === "warn") {
    log.warn("An output does not fit its schema", {
      operation: spec.name,
      requestId,
      places: placesOf(problems),
    });
    return;
  }
  throw new CallError(
    "OUTPUT_INVALID",
    `${spec.name} answered with something that does not fit its output schema.${ranNote(spec)} Tell its owner, or the operator of this gateway.`,
    { details: { problems: problems.slice(0, MAX_PLACES) } },
  );
}

/** A declared error whose details do not fit what its operation declares: logged, or refused like such an output. */
export function checkDetails(
  error: CallError,
  spec: OperationSpec,
  stages: OutputStages & { readonly requestId: string },
): CallError {
  const { code, details } = error;
  const schema = rowOf(code) ? undefined : declaredError(spec.errors, code)?.schema;
  if (schema === undefined || details === undefined) return error;
  const problems = problemsOf(details, schema, stages);
  if (problems.length === 0) return error;
  const { log, requestId, outputValidation } = stages;
  if (outputValidation === "warn") {
    const places = placesOf(problems);
    log.warn("Details of an error do not fit their schema", {
      operation: spec.name,
      requestId,
      code,
      places,
    });
    return error;
  }
  return new CallError(
    "OUTPUT_INVALID",
    `${spec.name} failed with ${code}, whose details do not fit what it declares. Tell its owner, or the operator of this gateway.`,
    { details: { code, problems: problems.slice(0, MAX_PLACES) }, cause: error },
  );
}

/** The places where a value does not fit its schema, if validation is on; an unusable schema is logged and ignored. */
function problemsOf(
  value: unknown,
  schema: JsonSchema,
  stages: OutputStages & { readonly requestId: string },
): readonly SchemaProblem[] {
  const { validator, outputValidation, maxResultBytes, log, requestId } = stages;
  if (outputValidation === "off" || schema === true) return [];
  try {
    const problems = validator.check(schema, value);
    if (problems.length === 0 || measureJson(value, maxResultBytes).over) return problems;
    // Handlers may answer with dates and undefined properties, which change once they are JSON.
    return validator.check(schema, JSON.parse(JSON.stringify(value)));
  } catch (error) {
    if (!(error instanceof SchemaUnusable)) throw error;
    log.warn("An output schema cannot be used", { requestId, error: error.message });
    return [];
  }
}

function placesOf(problems: readonly SchemaProblem[]): readonly object[] {
  return problems.slice(0, MAX_PLACES).map(({ path, expected }) => ({ path, expected }));
}

function applySelect(
  output: unknown,
  expression: string,
  { spec, stages }: { readonly spec: OperationSpec; readonly stages: OutputStages },
): unknown {
  try {
    return stages.selector.select(expression, output) ?? null;
  } catch (error) {
    const problem = messageOf(error);
    // The operation has run, so its output is included: a slip in the expression must not lose it.
    const kept = isJsonWithin(output, stages.maxResultBytes) ? { output } : {};
    throw new CallError(
      "INVALID_INPUT",
      `select does not fit the output of ${spec.name}: ${problem}.${ranNote(spec)}${"output" in kept ? " The whole output is in details." : ""}`,
      { details: { select: expression, problem, ...kept } },
    );
  }
}

function capSize(output: unknown, spec: OperationSpec, limit: number): number {
  const { bytes, over } = measureJson(output, limit);
  if (!over) return bytes;
  throw new CallError(
    "RESULT_TOO_LARGE",
    `The output of ${spec.name} is larger than ${limit} bytes.${ranNote(spec)} Pass select to take only what you need, for example ${JSON.stringify(exampleSelect(output))}, or narrow the input.`,
    { details: { limitBytes: limit, shape: shapeOf(output) } },
  );
}

function isJsonWithin(output: unknown, limit: number): boolean {
  return !measureJson(output, limit).over;
}

function ranNote(spec: OperationSpec): string {
  return spec.mutates ? " The operation has run: do not simply repeat it." : "";
}

/** Names and kinds of the first level, so that the next call can select. */
function shapeOf(output: unknown): unknown {
  if (Array.isArray(output)) return { items: output.length, item: shapeOf(output[0]) };
  if (!isRecord(output)) return typeof output;
  const kinds = Object.entries(output)
    .slice(0, 20)
    .map(([key, value]) => [
      key.slice(0, 60),
      Array.isArray(value) ? `array of ${value.length}` : typeof value,
    ]);
  return Object.fromEntries(kinds);
}

function exampleSelect(output: unknown): string {
  if (isContentOutput(output)) return output.content[0]?.type === "text" ? "content[0].text" : "content[0]";
  if (Array.isArray(output)) {
    const key = isRecord(output[0]) ? Object.keys(output[0])[0] : undefined;
    return key && /^[A-Za-z_]\w{0,40}$/.test(key) ? `[].${key}` : "[0:10]";
  }
  const key = isRecord(output)
    ? Object.keys(output).find((name) => /^[A-Za-z_]\w{0,40}$/.test(name))
    : undefined;
  return key ?? "@";
}

interface Compiled {
  readonly secrets: readonly string[];
  readonly redactor: Redactor;
}

const NO_SECRETS = (): readonly string[] => [];

/**
 * Redactors for the answers of calls: they know the secrets of the source and the credential of the principal, but never those of
 * other people, because a gap in an answer would reveal them. Compiled once, and again when a source has new secrets.
 */
export class CallRedactors {
  readonly #known = new WeakMap<() => readonly string[], WeakMap<Capabilities, Compiled>>();

  /** The current redactor for the answers of a call with these capabilities. */
  of({ secrets: ofSource = NO_SECRETS }: Registration, capabilities: Capabilities): Redactor {
    const [own, held] = [ofSource(), capabilities.redacted()];
    if (own.length === 0 && held.length === 0) return NO_REDACTION;
    const known = this.#known.get(ofSource) ?? new WeakMap<Capabilities, Compiled>();
    this.#known.set(ofSource, known);
    const secrets = [...own, ...held];
    const compiled = known.get(capabilities);
    if (compiled && isSame(compiled.secrets, secrets)) return compiled.redactor;
    const redactor = createRedactor(secrets);
    known.set(capabilities, { secrets, redactor });
    return redactor;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, at) => each === other[at]);
}

/** The same error without the secrets; its cause stays, because only a log sees it. */
export function redactError(error: CallError, redactor: Redactor): CallError {
  const message = redactor.text(error.message);
  const details = cleanDetails(error.details, redactor);
  if (message === error.message && details === error.details) return error;
  const { code, retryable, cause } = error;
  return new CallError(code, message, { retryable, cause, details });
}

function cleanDetails(details: unknown, redactor: Redactor): unknown {
  try {
    return redactor.value(details);
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}
