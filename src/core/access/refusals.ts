import type { Identity, OperationSpec, ResourceAccess, SchemaProblem } from "../model/index.ts";
import { CallError, shownName, signatureOf } from "../model/index.ts";
import type { Missing } from "./access.ts";

const MAX_PROBLEMS = 8;
/** Maximum levels of composed calls below a call from outside. */
export const MAX_DEPTH = 16;
/** Maximum concurrent composed calls below one call from outside. */
export const MAX_AT_ONCE = 10_000;
/** Details by which a refusal is known that is about the whole call. */
const MUTATIONS_DENIED = Object.freeze({ mutations: "deny" });
const TOO_DEEP = Object.freeze({ maxDepth: MAX_DEPTH });
const TOO_MANY = Object.freeze({ maxAtOnce: MAX_AT_ONCE });

/** The one answer for what is unknown, internal or denied; it must not tell which. */
export function notFound(name: string, suggestions: readonly string[]): CallError {
  const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(" or ")}?` : "";
  return new CallError(
    "NOT_FOUND",
    `There is no operation ${quoted(name)}.${hint} Use search to find what is available.`,
    suggestions.length > 0 ? { details: { suggestions } } : {},
  );
}

/** A handler calls an operation that exists but that it has not declared. */
export function notInComposes(name: string, composer: OperationSpec): CallError {
  return new CallError(
    "NOT_FOUND",
    `${quoted(composer.name)} does not compose ${quoted(name)}. Add ${quoted(name)} to its composes.`,
  );
}

/** The caller lacks what the operation asks for; what that is, is said only where the operator allows it. */
export function forbidden(name: string, identity: Identity, missing?: Missing): CallError {
  const who = missing ? `"${identity.id}", who lacks ${wordsFor(missing)}` : `"${identity.id}"`;
  const message = identity.authenticated
    ? `${quoted(name)} is not allowed for ${who}. Ask the operator of this gateway for access.`
    : `${quoted(name)} needs an identity. Send a token, or ask the operator of this gateway for one.`;
  return new CallError("FORBIDDEN", message, missing && { details: { missing } });
}

function wordsFor({ scopes = [], anyScope = [], resource, action }: Missing): string {
  const all = scopes.length === 1 ? `the scope ${scopes}` : `the scopes ${scopes.join(" and ")}`;
  const isOne = resource?.includes(":");
  return [
    ...(scopes.length > 0 ? [all] : []),
    ...(anyScope.length > 0 ? [`one of the scopes ${anyScope.join(" or ")}`] : []),
    ...(resource === undefined
      ? []
      : [`the right to ${action} ${isOne ? shownName(resource) : `a ${resource}`}`]),
  ].join(", and ");
}

/** The answer to a mutation that must not run. */
export function dryRun({ name }: OperationSpec): unknown {
  return {
    dryRun: true,
    operation: name,
    message: "The call is valid and would have run. Nothing was changed: mutations run dry here.",
  };
}

/** The same for an operation that composes such a mutation; `reached` is its name, where the caller may know it. */
export function dryRunOfStep({ name }: OperationSpec, reached = "a step"): unknown {
  return {
    dryRun: true,
    operation: name,
    reached,
    message: `${name} ran up to ${reached}, which would have changed something. Nothing was changed: mutations run dry here.`,
  };
}

/** The principal, or the endpoint that the call came by, may not write. */
export function forbiddenMutation(name: string): CallError {
  return new CallError(
    "FORBIDDEN",
    `${quoted(name)} changes something, and mutations are switched off here. Use a query, or ask the operator of this gateway.`,
    { details: MUTATIONS_DENIED },
  );
}

/** A composition goes deeper than any should: mostly an operation that composes itself. */
export function tooDeep(composer: string): CallError {
  return new CallError(
    "INTERNAL",
    `${composer} composes calls that compose others, more than ${TOO_DEEP.maxDepth} levels deep; the deepest one was not made. Tell its owner: one of its steps may compose itself.`,
    { details: TOO_DEEP },
  );
}

/** A composition has more calls under way than it may. */
export function tooManyAtOnce(composer: string): CallError {
  return new CallError(
    "INTERNAL",
    `${composer} has ${TOO_MANY.maxAtOnce} composed calls under way and may not begin more at once. Tell its owner: it must wait for some before it begins others.`,
    { details: TOO_MANY },
  );
}

/** The same refusal for an operation further up, where it is about the whole call and so true for all who composed it. */
export function refusalOfWhole({ details }: CallError, composer: string): CallError | undefined {
  if (details === MUTATIONS_DENIED) return forbiddenStep(composer);
  if (details === TOO_DEEP) return tooDeep(composer);
  if (details === TOO_MANY) return tooManyAtOnce(composer);
  return undefined;
}

/** The called operation changes nothing itself, but composes one that does. */
function forbiddenStep(name: string): CallError {
  return new CallError(
    "FORBIDDEN",
    `A step of ${name} would change something, and mutations are switched off here. That step did not run. Ask the operator of this gateway, or use a way in that may write.`,
    { details: MUTATIONS_DENIED },
  );
}

/** The thing that the input names is out of the caller's reach. */
export function forbiddenResource({ type, action, idPath }: ResourceAccess, identity: Identity): CallError {
  return new CallError(
    "FORBIDDEN",
    `"${identity.id}" may not ${action} the ${type} that the input names at ${idPath}. Name another one, or ask the operator of this gateway for access.`,
  );
}

/** The refusal of a list of resources: the caller has none of them, names others, or has too many. */
export function forbiddenList(
  { type, action, list }: Extract<ResourceAccess, { readonly list: object }>,
  { id }: Identity,
  why: "none" | "some" | "many",
): CallError {
  const { argument } = list;
  const sentence = {
    none: `"${id}" may not ${action} any ${type}. Ask the operator of this gateway for access.`,
    some: `"${id}" may not ${action} each ${type} that ${argument} of the input names. Name others, or leave out ${argument} to get all that "${id}" may ${action}.`,
    many: `"${id}" may ${action} more of type ${type} than can be listed at once. Name at most 1,000 of them in ${argument} of the input.`,
  };
  return new CallError("FORBIDDEN", sentence[why]);
}

/** A stream was asked for where one answer comes, or the other way round. */
export function wrongKind(spec: OperationSpec): CallError {
  return new CallError(
    "INVALID_OPERATION_TYPE",
    spec.type === "subscription"
      ? `${spec.name} is a subscription: it answers with a stream, which neither a call nor an MCP tool can carry. Follow it over plain HTTP (POST /subscribe) or the call protocol.`
      : `${spec.name} is a ${spec.type}: it answers once. Call it instead of subscribing to it.`,
  );
}

/** The input does not fit: where, what was expected, and how to call the operation. */
export function invalidInput(spec: OperationSpec, problems: readonly SchemaProblem[]): CallError {
  const signature = signatureOf(spec);
  const shown = problems.slice(0, MAX_PROBLEMS);
  const lines = shown.map(
    ({ path, expected, actual }) => `${path || "input"}: expected ${expected}, got ${actual}`,
  );
  const more = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : "";
  return new CallError(
    "INVALID_INPUT",
    `The input does not fit ${spec.name} — ${lines.join("; ")}${more}. Call it as ${spec.name}${signature}.`,
    { details: { problems: shown, signature } },
  );
}

/** Checking the input takes longer than others should wait. */
export function tooComplexInput(spec: OperationSpec, cause: unknown): CallError {
  return new CallError(
    "INVALID_INPUT",
    `The input is too complex for the schema of ${spec.name}: checking it takes too many steps. Nothing was called. Simplify it: fewer items and properties, less nesting, shorter texts. If a simple input is refused too, tell the operator of this gateway.`,
    { cause },
  );
}

/** The schema itself is broken; the caller can do nothing about it. */
export function unusableSchema(spec: OperationSpec, cause: unknown): CallError {
  return new CallError(
    "INTERNAL",
    `The input schema of ${spec.name} cannot be used, so the input cannot be checked. Tell the operator of this gateway; another operation may serve meanwhile.`,
    { cause },
  );
}

/** The select expression is wrong; found before anything ran. */
export function invalidSelect(expression: string, problem: string): CallError {
  return new CallError(
    "INVALID_INPUT",
    `select is not a valid JMESPath expression: ${problem}. Nothing was called. Examples: "items[].name", "{id: id, state: status.state}".`,
    { details: { select: expression, problem } },
  );
}

/** The handler asked for input on a way that cannot carry the question. */
export function cannotRequestInput(name: string, composed: boolean): CallError {
  return new CallError(
    "INVALID_OPERATION_TYPE",
    composed
      ? `${name} asks for input while it runs, which a composed call cannot pass on. Call it directly, or give the values in its input.`
      : `${name} asks for input while it runs, which this client cannot answer. Give the values in its input, or call it from a client that supports elicitation.`,
  );
}

function quoted(name: string): string {
  return JSON.stringify(shownName(name));
}
