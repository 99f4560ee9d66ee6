/** `pinhole/testing`: runs an operation in a test, on the path that every call takes, with a caller of your choice. */
import {
  Capabilities,
  completeSpec,
  type Identity,
  namespaceOf,
  type OutboundFetch,
  type Registration,
} from "./core/index.ts";
import { createRuntime } from "./runtime.ts";

/** Options of runOperation. */
export interface RunOptions {
  /** The caller; by default one with the id `tester` and no scopes. */
  readonly identity?: Partial<Identity>;
  /** Secrets that `context.capabilities.get(NAME)` finds. */
  readonly capabilities?: Readonly<Record<string, string>>;
  /** Operations that the handler composes, each as a function of its input. The operation must name them in `composes`. */
  readonly env?: Readonly<Record<string, (input: unknown) => unknown>>;
  /** In place of the network, for `context.fetch`. */
  readonly fetch?: OutboundFetch;
  /** Makes the call a dry run. */
  readonly dryRun?: boolean;
}

const TESTER: Identity = { id: "tester", authenticated: true, scopes: [] };

/**
 * Runs an operation: its access is decided, its input checked with defaults in place, its output held to its schema. Answers
 * the output, the list of items of a subscription, or throws a CallError.
 *
 *     assert.equal(await runOperation(roll, { sides: 1 }), 1);
 */
export async function runOperation(
  operation: Registration,
  input: unknown = {},
  { identity, capabilities = {}, env = {}, fetch, dryRun = false }: RunOptions = {},
): Promise<unknown> {
  // A test may call what only other operations may call otherwise.
  const spec = { ...operation.spec, visibility: "external" } as const;
  const tested = { ...operation, spec, capabilities: () => new Capabilities(capabilities) };
  const fakes = Object.entries(env).map(([name, answer]) => fake(name, answer));
  const source = { name: namespaceOf(spec.name) };
  const { dispatch } = createRuntime({
    sources: [{ source, registrations: [tested, ...fakes] }],
    outputValidation: "enforce",
    ...(fetch && { fetch }),
  });
  const call = { operation: spec.name, input };
  const caller = { identity: { ...TESTER, ...identity, ...(dryRun && { mutations: "dry" as const }) } };
  if (spec.type !== "subscription") return dispatch.invoke(call, caller);
  const items: unknown[] = [];
  for await (const item of await dispatch.invokeStreaming(call, caller)) items.push(item);
  return items;
}

function fake(name: string, answer: (input: unknown) => unknown): Registration {
  const spec = completeSpec({ name, type: "query", description: "For a test.", inputSchema: true });
  return { spec, handler: { kind: "once", run: answer }, provenance: "local" };
}
