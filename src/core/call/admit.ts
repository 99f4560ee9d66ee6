import {
  dryRunOfStep,
  forbidden,
  forbiddenMutation,
  invalidInput,
  invalidSelect,
  missingFor,
  notFound,
  tellsMissing,
  tooComplexInput,
  unusableSchema,
  wrongKind,
} from "../access/index.ts";
import type { Handler, Registration } from "../model/index.ts";
import {
  decideMutation,
  type Log,
  normaliseName,
  SchemaUnusable,
  type SchemaValidator,
  type Selector,
  ValueTooComplex,
} from "../model/index.ts";
import { createView } from "../registry/index.ts";
import type { Account } from "./account.ts";
import type { Call, Frame } from "./frame.ts";

/** find → visibility and deny → access → kind; see decision 006 for why access comes before kind. */
export function admit(
  call: Call,
  frame: Frame,
  { kind, account }: { readonly kind: Handler["kind"]; readonly account: Account },
): Registration {
  const view = createView(frame.snapshot, frame);
  const name = normaliseName(call.operation);
  const found = view.look(name);
  if (!found || found.sight === "absent") throw notFound(name, frame.internal ? [] : view.suggest(name));
  if (found.sight === "forbidden") {
    const tells = tellsMissing(frame.snapshot.policy, frame.identity);
    throw forbidden(
      name,
      frame.identity,
      tells ? missingFor(found.entry.registration, frame.identity) : undefined,
    );
  }
  const { registration } = found.entry;
  account.registration = registration;
  if (decideMutation(registration.spec, frame) === "deny") throw forbiddenMutation(name);
  if (registration.handler.kind !== kind) throw wrongKind(registration.spec);
  return registration;
}

/** Dependencies of checkInput. */
interface InputStages {
  readonly validator: SchemaValidator;
  readonly selector: Selector;
  readonly log: Log;
}

/** validate the input and what else the caller wrote. */
export function checkInput(
  call: Call,
  { spec }: Registration,
  { validator, selector, log }: InputStages,
): unknown {
  const input = call.input === undefined ? {} : call.input;
  try {
    const problems = validator.check(spec.inputSchema, input);
    if (problems.length > 0) throw invalidInput(spec, problems);
  } catch (error) {
    if (error instanceof ValueTooComplex) throw tooComplexInput(spec, error);
    if (!(error instanceof SchemaUnusable)) throw error;
    log.error("An input schema cannot be used", { operation: spec.name, error: error.message });
    throw unusableSchema(spec, error);
  }
  const problem = call.select === undefined ? undefined : selector.problemOf(call.select);
  if (call.select !== undefined && problem) throw invalidSelect(call.select, problem);
  return input;
}

/** The answer of a call from outside whose dry run ended at a mutation below it. */
export function answerOfDryRun(frame: Frame, { registration }: Account): unknown {
  const { reached } = frame.composition;
  if (!reached || !registration || frame.internal) return undefined;
  const isKnown = createView(frame.snapshot, frame).look(reached.name)?.sight === "open";
  return dryRunOfStep(registration.spec, isKnown ? reached.name : undefined);
}
