/** Something that is measured once per column: by number of operations, of connections, of bytes. */
export type ByColumn<Value> = Readonly<Record<string, Value>>;

/** One measured quantity: a row of a table. */
export interface Figure {
  readonly measure: string;
  readonly unit: string;
  readonly values: ByColumn<number>;
  /** Cost in the last column divided by the cost in the first: near 1 where size does not matter. */
  readonly flatness?: number;
  /** Shown in the summary too, with the value of its last column or of the one that its target names. */
  readonly headline?: boolean;
  /** For a ratio: the two quantities that it was made of, both measured in this run. */
  readonly compared?: Comparison;
  readonly target?: Target;
}

/** The two sides of a ratio. */
export interface Comparison {
  readonly unit: string;
  readonly measured: ByColumn<number>;
  readonly baseline: ByColumn<number>;
}

/** Goal for the ratio of a figure, or for its value if it has none. */
export interface Target {
  readonly atMost?: number;
  readonly atLeast?: number;
  /** The column that it is about, if not the last. */
  readonly column?: string;
}

/** A set of figures that are measured together. */
export interface Bench {
  readonly name: string;
  readonly title: string;
  /** The reason why it cannot run here, if there is one. */
  skip?(): string | undefined;
  run(): Promise<readonly Figure[]>;
}
