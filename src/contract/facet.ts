import type { Matches, Reach } from "../core/index.ts";

/** The tools that an endpoint lists, and the operations within its reach. */
export interface Facet {
  /** Lists the four tools. */
  readonly core: boolean;
  /** Lists one more tool, which calls queries alone: clients may let it pass without asking. */
  readonly query: boolean;
  /** Operations that are tools of their own; none where it is not set. */
  readonly holds?: Matches;
  /** Names of presets that are tools of their own. */
  readonly presets?: readonly string[];
  /** Namespaces that are taken also while nothing is in them, because their sources are still to come. */
  readonly namespaces?: readonly string[];
  /** Output schemas are listed: what does not fit them is refused here. */
  readonly outputs?: boolean;
  /** Everything can be reached where it is not set. */
  readonly reach?: Reach | undefined;
}

/** The four tools, through which everything can be reached. */
export const CORE_FACET: Facet = Object.freeze({ core: true, query: false });
