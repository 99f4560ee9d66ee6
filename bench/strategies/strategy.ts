import type { LabelledQuery } from "../search/read-set.ts";
import type { Catalogue } from "./catalogues.ts";

/** How often the script looks for a tool before it gives up. */
export const MOST_LOOKS = 3;

/** One thing that the model writes and what it reads in answer, in tokens. */
export interface Exchange {
  readonly wrote: number;
  readonly read: number;
}

/** What one task took until its tool could be called. */
export interface Outcome {
  /** Tokens of the tools that stand in the context from the start. */
  readonly menu: number;
  /** Whether the menu was made for this task alone, and goes with it. */
  readonly menuIsOfTask: boolean;
  /** What the model itself asked for. */
  readonly exchanges: readonly Exchange[];
  /** Requests that were answered before the call, whoever made them. */
  readonly roundTrips: number;
  /** Whether a right tool was in the first look, and in any. */
  readonly seenFirst: boolean;
  readonly seen: boolean;
  /** What the model writes around the input of its call. */
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
  /** What the script does, in the words of the report. */
  readonly policy: string;
  show(catalogue: Catalogue): Promise<Shown>;
}

/** For strategies that keep nothing open. */
export const nothingToClose = async (): Promise<void> => {};
