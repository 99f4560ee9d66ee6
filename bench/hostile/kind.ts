/** What became of a hostile case: it was answered, or refused with an error that says why. */
export type Outcome = "answered" | "refused";

/** One thing that a caller or an upstream may send. */
export interface HostileCase {
  /** Names the case where it turns out to be the longest. */
  readonly title: string;
  /** How much was sent: above 1 MiB a turn may take longer, in proportion. */
  readonly bytes: number;
  /** What is measured. A refusal is caught here; anything thrown ends the bench, because it is a fault. */
  run(): Outcome | Promise<Outcome>;
}

/** A kind of hostile material, as in "expressions" or "documents". */
export interface HostileKind {
  readonly name: string;
  /** How many cases are tried. */
  readonly cases: number;
  /** Makes a case; the same seed (0, 1, 2, …) makes the same case. This is not measured. */
  generate(seed: number): HostileCase | Promise<HostileCase>;
}
