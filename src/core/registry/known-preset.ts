import {
  type OperationSpec,
  type Preset,
  problemsOfPreset,
  type SchemaValidator,
  specOfPreset,
} from "../model/index.ts";

/** A preset together with an operation that it fits, or the reason why it does not. */
interface Fitted {
  readonly of: OperationSpec;
  readonly spec: OperationSpec;
  readonly problem: string | undefined;
}

/** A preset in a registry: what its callers see, made when its operation is known and again when that changes. */
export class KnownPreset {
  readonly preset: Preset;
  readonly #validator: Pick<SchemaValidator, "check"> | undefined;
  #fitted: Fitted | undefined;

  constructor(preset: Preset, validator: Pick<SchemaValidator, "check"> | undefined) {
    this.preset = preset;
    this.#validator = validator;
  }

  /** The preset as a spec of its own, for this operation. */
  fit(of: OperationSpec): Fitted {
    if (this.#fitted?.of === of) return this.#fitted;
    const [problem] = problemsOfPreset(this.preset, of, this.#validator);
    this.#fitted = { of, spec: specOfPreset(this.preset, of), problem };
    return this.#fitted;
  }
}
