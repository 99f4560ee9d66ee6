import type { GatewayDispatch } from "../../core/index.ts";
import type { McpEndpoint } from "../../projections/to-mcp/index.ts";
import type { HttpProjection } from "../../projections/to-openapi/index.ts";
import type { StepUp, TokenIssuers } from "./challenge.ts";
import type { Routes } from "./find-route.ts";

/** The name of the MCP endpoint at /mcp; the others are named after their facets. */
export const MAIN = "";

/** Everything that answers requests under one config; a reload replaces it while running requests keep theirs. */
export interface Serving {
  readonly gateway: GatewayDispatch;
  /** False: callers without a token are refused before anything else. */
  readonly anonymous: boolean;
  /** True: lasting connections need a token, also where single requests need none. */
  readonly identitiesConfigured: boolean;
  /** Issuers of tokens, if any: callers without a token or with too few scopes are told of them. */
  readonly signIn?: (TokenIssuers & StepUp) | undefined;
  /** The MCP endpoints by name. */
  readonly mcp: ReadonlyMap<string, McpEndpoint>;
  readonly http: HttpProjection;
  /** Addresses of plugins and of the embedding program, where there may be some. */
  readonly routes?: Routes | undefined;
  /** Most connections of an identity without a limit of its own. */
  readonly maxConnectionsEach: number;
  /** All counts, in the text format of Prometheus. */
  readonly metrics: () => string;
}
