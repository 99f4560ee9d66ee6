import type { CapabilityProvider } from "./capabilities.ts";

/** What an operator says about a source that is imported, whatever its kind. */
export interface SourceOptions {
  /** The name of the source, and what stands before the names of its operations. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The credentials by which a principal's calls are made; nobody's if it is not given. */
  readonly capabilities?: CapabilityProvider | undefined;
  /** The secrets of the source itself at the moment, which are kept out of everything that it says. */
  readonly secrets?: (() => readonly string[]) | undefined;
  /** Patterns of the source's own names that callers may reach from outside; the rest is for composition only. */
  readonly external: readonly string[];
  readonly scopes: readonly string[];
  /** Whether callers without an identity may reach them too, once there are identities. */
  readonly public: boolean;
  /** How long one call may take. */
  readonly timeoutMs: number;
}
