import {
  dryRunOfStep,
  forbidden,
  forbiddenList,
  forbiddenMutation,
  forbiddenResource,
  grantedIds,
  invalidInput,
  invalidSelect,
  isGranted,
  type Missing,
  missingFor,
  notFound,
  type Owners,
  resourceIn,
  tellsMissing,
  tooComplexInput,
  unusableSchema,
  wrongKind,
} from "../access/index.ts";
import {
  type CallError,
  decideMutation,
  type Handler,
  type Identity,
  isRecord,
  type Log,
  messageOf,
  normaliseName,
  noteOfAlias,
  type Ownership,
  type Registration,
  type Resource,
  type ResourceAccess,
  type ResourceClass,
  SchemaUnusable,
  type SchemaValidator,
  type Selector,
  ValueTooComplex,
  withDefaults,
} from "../model/index.ts";
import { createView, type FoundPreset, type Snapshot } from "../registry/index.ts";
import type { Account } from "./account.ts";
import type { Call, Frame } from "./frame.ts";
import { isPromiseLike } from "./lifetime.ts";

/** rewrite a preset → find → visibility and deny → access → kind; see decision 006 for why access comes before kind. */
export function admit(
  call: Call,
  frame: Frame,
  {
    kind,
    account,
    preset,
  }: {
    readonly kind: Handler["kind"];
    readonly account: Account;
    readonly preset: FoundPreset | undefined;
  },
): Registration {
  const view = createView(frame.snapshot, frame);
  const name = normaliseName(call.operation);
  const found = preset ?? view.look(name);
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
  account.preset = preset?.preset.name;
  if (preset?.preset.isAlias) frame.onNote?.(noteOfAlias(preset.preset));
  if (decideMutation(registration.spec, frame) === "deny") throw forbiddenMutation(name);
  if (registration.handler.kind !== kind) throw wrongKind(preset?.spec ?? registration.spec);
  return registration;
}

/** Dependencies of checkInput. */
export interface InputStages {
  readonly validator: SchemaValidator;
  readonly selector: Selector;
  readonly log: Log;
}

/** apply defaults (local operations) → validate the input and what else the caller wrote. */
export function checkInput(
  call: Call,
  { spec, provenance }: Pick<Registration, "spec" | "provenance">,
  { validator, selector, log }: InputStages,
): unknown {
  const given = call.input === undefined ? {} : call.input;
  // The defaults of imported operations are applied where they run.
  const input = provenance === "local" ? withDefaults(spec.inputSchema, given) : given;
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
  const { reached } = frame.composition();
  if (!reached || !registration || frame.internal) return undefined;
  const isKnown = createView(frame.snapshot, frame).look(reached.name)?.sight === "open";
  return dryRunOfStep(registration.spec, isKnown ? reached.name : undefined);
}

/** Most ids that are handed to an operation that lists. */
const MAX_IDS = 1_000;

/** Dependencies of the resource check. */
interface ResourceStages {
  readonly frame: Frame;
  readonly owners: Owners;
  readonly validator: SchemaValidator;
  readonly log: Log;
}

type ListAccess = Extract<ResourceAccess, { readonly list: object }>;

/** The caller together with the types that it has something of; at once where no port has to be asked. */
export function withTypes(
  identity: Identity,
  { ownership }: Pick<Snapshot, "ownership">,
  owners: Owners,
): Identity | Promise<Identity> {
  const isSettled = ownership.size === 0 && identity.owned === undefined;
  return isSettled ? identity : owners.withTypes(identity, ownership);
}

/** The call with the types that its caller has something of. */
export function frameWithTypes(frame: Frame, owners: Owners): Frame | Promise<Frame> {
  // A composer has what its authority says; ports decide over callers.
  if (frame.internal) return frame;
  const by = (identity: Identity): Frame =>
    identity === frame.identity ? frame : { ...frame, identity, principal: identity };
  const known = withTypes(frame.identity, frame.snapshot, owners);
  return isPromiseLike(known) ? frame.lifetime.within(known).then(by) : by(known);
}

/** resource check: by static grants, else by the port of the type. Answers the input as the handler gets it. */
export async function admitResource(
  input: unknown,
  registration: Registration,
  stages: ResourceStages,
): Promise<unknown> {
  const { resource: access } = registration.spec.access;
  if (!access) return input;
  if (access.list) return withIds(input, registration, { ...stages, access });
  const resource = resourceIn(input, access);
  if (resource && (await mayActOn(resource, stages))) return input;
  const missing = resource && { resource: `${resource.type}:${resource.id}`, action: access.action };
  throw lacking(missing, registration, stages) ?? forbiddenResource(access, stages.frame.identity);
}

/** The refusal that says what is missing, where callers are told. */
function lacking(
  missing: Missing | undefined,
  { spec }: Registration,
  { frame: { identity, snapshot } }: ResourceStages,
): CallError | undefined {
  return missing && tellsMissing(snapshot.policy, identity)
    ? forbidden(spec.name, identity, missing)
    : undefined;
}

async function mayActOn(resource: Resource, { frame, owners }: ResourceStages): Promise<boolean> {
  const { identity, lifetime, answers } = frame;
  if (isGranted(resource, identity)) return true;
  const port = portOf(resource, frame);
  return (
    port !== undefined &&
    lifetime.within(answers().owns(resource, () => owners.owns(port, identity, resource)))
  );
}

/** The input with the ids that the caller has; with those of them that it names, where it names some. */
async function withIds(
  input: unknown,
  registration: Registration,
  { access, ...stages }: ResourceStages & { readonly access: ListAccess },
): Promise<unknown> {
  const { spec } = registration;
  const { identity } = stages.frame;
  const { type, action } = access;
  const { argument } = access.list;
  const none = () =>
    lacking({ resource: type, action }, registration, stages) ?? forbiddenList(access, identity, "none");
  const ids = await idsOf(access, stages);
  const named = isRecord(input) && Object.hasOwn(input, argument) ? input[argument] : undefined;
  if (!ids || !isRecord(input)) throw none();
  const isTheirs = (id: unknown) => ids.has("*") || ids.has(String(id));
  if (named !== undefined && !(Array.isArray(named) && named.every(isTheirs)))
    throw forbiddenList(access, identity, "some");
  const handed = named ?? (ids.has("*") ? ["*"] : [...ids]);
  if ((handed as readonly unknown[]).length > MAX_IDS) throw forbiddenList(access, identity, "many");
  const filled = { ...input, [argument]: handed };
  const problem = problemOf(filled, spec.inputSchema, stages);
  if (problem === undefined) return filled;
  stages.log.error("The ids of resources do not fit an input schema, so that they are refused", {
    operation: spec.name,
    argument,
    problem,
  });
  throw none();
}

/** All ids that static grants and the port have; undefined if there are none. Static grants remain if a port fails. */
async function idsOf(
  access: ListAccess,
  { frame, owners }: ResourceStages,
): Promise<ReadonlySet<string> | undefined> {
  const { identity, lifetime, answers } = frame;
  const { type, action } = access;
  const granted = grantedIds(access, identity);
  if (granted.includes("*")) return new Set(["*"]);
  const port = portOf(access, frame);
  if (!port) return granted.length > 0 ? new Set(granted) : undefined;
  const ask = () => owners.list(port, identity, { type, action });
  const listed = await lifetime.within(answers().list({ type, action }, ask));
  return listed || granted.length > 0 ? new Set([...granted, ...(listed ?? [])]) : undefined;
}

/** No port decides over composers, nor over callers without an identity. */
function portOf({ type }: ResourceClass, { identity, internal, snapshot }: Frame): Ownership | undefined {
  return internal || !identity.authenticated ? undefined : snapshot.ownership.get(type);
}

function problemOf(
  input: unknown,
  schema: Parameters<SchemaValidator["check"]>[0],
  { validator }: ResourceStages,
): string | undefined {
  try {
    const [problem] = validator.check(schema, input);
    return problem && `${problem.path}: expected ${problem.expected}`;
  } catch (error) {
    return messageOf(error);
  }
}
