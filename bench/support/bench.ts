/** Something that is measured once per column: by number of operations, of connections, of bytes. */
export type ByColumn<Value> = Readonly<Record<string, Value>>;

/** One measured quantity: a row of a table. */
export interface Figure {
  readonly measure: string;
  readonly unit: string;
  readonly values: ByColumn<number>;
  /** Cost in the last column divided by the cost in the first: near 1 where size does not matter. */
  readonly flatness?: number;
  /** Shown in the summary too, with the value of its last column. */
  readonly headline?: boolean;
}

/** A set of figures that are measured together. */
export interface Bench {
  readonly name: string;
  readonly title: string;
  run(): Promise<readonly Figure[]>;
}
