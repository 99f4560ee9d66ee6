import {
  type AccessPolicy,
  createDispatch,
  createGatewayDispatch,
  DEFAULT_POLICY,
  type Dispatch,
  type DispatchOptions,
  type GatewayDispatch,
  type GatewayDispatchOptions,
  Registry,
  type SourceSet,
} from "../core/index.ts";
import { createSchemaValidator, createSelector } from "../formats/index.ts";
import { createServices } from "../search/index.ts";

/** What a runtime can be told. */
export interface RuntimeOptions
  extends Omit<DispatchOptions, "registry" | "validator" | "selector">,
    Omit<GatewayDispatchOptions, "dispatch"> {
  /** What is registered from the start: plugins, or sets that adapters made. */
  readonly sources?: readonly SourceSet[];
  readonly policy?: Partial<AccessPolicy>;
}

/** A registry with everything that is needed to call what is in it; no wire. */
export interface Runtime {
  readonly registry: Registry;
  readonly dispatch: Dispatch;
  /** The entrance for wires: tokens in, envelopes out. */
  readonly gateway: GatewayDispatch;
}

/**
 * Puts registry, dispatch, validator and the services together.
 *
 *     const { dispatch } = createRuntime({ sources: [definePlugin({ name: "demo", operations: [greet] })] });
 *     await dispatch.invoke({ operation: "demo/greet", input: { name: "Ada" } });
 */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const { sources = [], policy, ...rest } = options;
  const registry = new Registry();
  registry.apply({
    replace: [createServices(registry), ...sources],
    policy: { ...DEFAULT_POLICY, ...policy },
  });
  const dispatch = createDispatch({
    ...rest,
    registry,
    validator: createSchemaValidator(),
    selector: createSelector(),
  });
  return { registry, dispatch, gateway: createGatewayDispatch({ ...rest, dispatch }) };
}
