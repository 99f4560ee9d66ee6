/** A rule that a configuration breaks although each of its values fits the schema. */
export interface BrokenRule {
  readonly keys: readonly string[];
  readonly message: string;
}
