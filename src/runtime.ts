import {
  type AccessPolicy,
  createDispatch,
  createGatewayDispatch,
  DEFAULT_POLICY,
  type Dispatch,
  type DispatchOptions,
  type GatewayDispatch,
  type GatewayDispatchOptions,
  type Identity,
  type Overlay,
  Overlays,
  Owners,
  type Preset,
  Registry,
  type SchemaValidator,
  type SourceSet,
} from "./core/index.ts";
import { createSchemaValidator, createSelector } from "./formats/index.ts";
import { createServices, type ServicesOptions } from "./services/search/index.ts";

/** Options of a runtime. */
export interface RuntimeOptions
  extends Omit<DispatchOptions, "registry" | "validator" | "selector">,
    Omit<GatewayDispatchOptions, "dispatch"> {
  /** A registry that lives on when the runtime is replaced; a new one if none is given. */
  readonly registry?: Registry;
  /** Sources registered from the start: plugins, or sets that adapters made. */
  readonly sources?: readonly SourceSet[];
  /** Names of sources to remove from a given registry. */
  readonly remove?: readonly string[];
  readonly policy?: Partial<AccessPolicy>;
  /** Names for operations with arguments fixed, picked or renamed. */
  readonly presets?: readonly Preset[];
  /** Makes operations that only one caller has, for callers that come through `gateway`. */
  readonly overlay?: Overlay;
  /** Search options; they hold for the life of the registry. */
  readonly search?: ServicesOptions;
}

/** A registry with everything needed to call its operations, without a wire. */
export interface Runtime {
  readonly registry: Registry;
  readonly dispatch: Dispatch;
  readonly validator: SchemaValidator;
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
  const validator = createSchemaValidator();
  const {
    sources = [],
    remove = [],
    policy,
    presets = [],
    search,
    overlay,
    registry = new Registry(validator),
    ...rest
  } = options;
  const services = registry.snapshot().sources.has("services")
    ? []
    : [createServices(registry, { log: rest.log, ...search })];
  const { owners = new Owners({ log: rest.log }) } = rest;
  registry.apply({
    remove,
    replace: [...services, ...sources],
    policy: { ...DEFAULT_POLICY, ...policy },
    presets,
  });
  const dispatch = createDispatch({ ...rest, owners, registry, validator, selector: createSelector() });
  const overlays = overlay && new Overlays({ registry, overlay, log: rest.log });
  const overlayOf = overlays && ((identity: Identity) => overlays.open(identity));
  const gateway = createGatewayDispatch({ overlayOf, ...rest, registry, owners, dispatch });
  return { registry, dispatch, validator, gateway };
}
