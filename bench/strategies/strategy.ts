import type { LabelledQuery } from "../search/read-set.ts";
import type { Catalogue } from "./catalogues.ts";

/** Number of attempts to find a tool before the script gives up. */
export const MOST_LOOKS = 3;

/** One thing that the model writes and what it reads in answer, in tokens. */
export interface Exchange {
  readonly wrote: number;
  readonly read: number;
}

/** Cost of one task until its tool could be called. */
export interface Outcome {
  /** Tokens of the tools that stand in the context from the start. */
  readonly menu: number;
  /** True if the menu was made for this task alone. */
  readonly menuIsOfTask: boolean;
  /** Requests of the model itself. */
  readonly exchanges: readonly Exchange[];
  /** Requests before the call, of the model or of the host. */
  readonly roundTrips: number;
  /** True if a right tool was in the first look, or in any. */
  readonly seenFirst: boolean;
  readonly seen: boolean;
  /** Text that the model writes around the input of its call. */
  readonly callFrame: number;
}

/** A catalogue as one strategy shows it. */
export interface Shown {
  work(task: LabelledQuery): Promise<Outcome>;
  close(): Promise<void>;
}

/** A way to show tools to a model, with a script in the model's place. */
export interface Strategy {
  readonly name: string;
  /** The rules of the script, for the report. */
  readonly policy: string;
  show(catalogue: Catalogue): Promise<Shown>;
}

/** For strategies that keep nothing open. */
export const nothingToClose = async (): Promise<void> => {};
